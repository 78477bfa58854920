"""Small programs whose step reads values that change between calls."""

from tests.step.readings import aliases as aliases
from tests.step.readings import containers as containers
from tests.step.readings import functions_and_objects as functions_and_objects
from tests.step.readings import numbers_asked as numbers_asked
from tests.step.readings import of_keras as of_keras
from tests.step.readings import values as values
from tests.step.readings.table import PROGRAMS as PROGRAMS
from tests.step.readings.table import VALUES as VALUES
