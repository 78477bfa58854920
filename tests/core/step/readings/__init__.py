"""Small programs whose step reads values that change between calls."""

from tests.core.step.readings import aliases as aliases
from tests.core.step.readings import containers as containers
from tests.core.step.readings import functions_and_objects as functions_and_objects
from tests.core.step.readings import numbers_asked as numbers_asked
from tests.core.step.readings import of_keras as of_keras
from tests.core.step.readings import values as values
from tests.core.step.readings.table import PROGRAMS as PROGRAMS
from tests.core.step.readings.table import VALUES as VALUES
