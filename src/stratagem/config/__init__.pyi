# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._core.step import functions_run_eagerly as experimental_functions_run_eagerly
from stratagem._core.step import functions_run_eagerly as functions_run_eagerly
from stratagem._core.step import run_functions_eagerly as experimental_run_functions_eagerly
from stratagem._core.step import run_functions_eagerly as run_functions_eagerly
from stratagem._devices import LogicalDevice as LogicalDevice
from stratagem._devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from stratagem._devices import PhysicalDevice as PhysicalDevice
from stratagem._devices import get_logical_device_configuration as get_logical_device_configuration
from stratagem._devices import get_soft_device_placement as get_soft_device_placement
from stratagem._devices import get_visible_devices as get_visible_devices
from stratagem._devices import list_logical_devices as list_logical_devices
from stratagem._devices import list_physical_devices as list_physical_devices
from stratagem._devices import set_logical_device_configuration as set_logical_device_configuration
from stratagem._devices import set_soft_device_placement as set_soft_device_placement
from stratagem._devices import set_visible_devices as set_visible_devices
from stratagem._strategies import experimental_connect_to_cluster as experimental_connect_to_cluster
from stratagem.config import experimental as experimental
from stratagem.config import optimizer as optimizer
from stratagem.config import threading as threading

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental", "experimental_connect_to_cluster",
    "experimental_functions_run_eagerly", "experimental_run_functions_eagerly", "functions_run_eagerly",
    "get_logical_device_configuration", "get_soft_device_placement", "get_visible_devices", "list_logical_devices",
    "list_physical_devices", "optimizer", "run_functions_eagerly", "set_logical_device_configuration",
    "set_soft_device_placement", "set_visible_devices", "threading"
]  # fmt: skip
