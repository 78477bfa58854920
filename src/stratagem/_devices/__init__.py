"""The devices of this machine by TensorFlow's names, and the settings of the runtime that `tf.config` has.

In: names of devices, and settings before JAX starts.
Out: JAX's devices; JAX's own settings.
Never: starts a backend, but to list logical devices, find one or ask for its memory.
"""

from stratagem._devices._compilation_cache import attach_compilation_cache as attach_compilation_cache
from stratagem._devices._freed_memory import give_back_after_compiling as give_back_after_compiling
from stratagem._devices._logical import device as device
from stratagem._devices._logical import list_logical_devices as list_logical_devices
from stratagem._devices._names import attach_device_names as attach_device_names
from stratagem._devices._names import choose_devices as choose_devices
from stratagem._devices._names import device_name as device_name
from stratagem._devices._names import find_device as find_device
from stratagem._devices._names import kind_of as kind_of
from stratagem._devices._physical import get_device_details as get_device_details
from stratagem._devices._physical import list_physical_devices as list_physical_devices
