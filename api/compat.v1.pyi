"""tf.compat.v1."""

from stratagem import audio as audio
from stratagem import autograph as autograph
from stratagem import bitwise as bitwise
from stratagem import config as config
from stratagem import distribute as distribute
from stratagem import dtypes as dtypes
from stratagem import experimental as experimental
from stratagem import keras as keras
from stratagem import nest as nest
from stratagem import newaxis as newaxis
from stratagem import profiler as profiler
from stratagem import quantization as quantization
from stratagem import signal as signal
from stratagem import sysconfig as sysconfig
from stratagem import test as test
from stratagem import types as types
from stratagem import version as version

__version__ = "2.15.1"
