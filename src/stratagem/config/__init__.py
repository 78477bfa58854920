"""tf.config."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._core.step import functions_run_eagerly as functions_run_eagerly
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
from stratagem._ops import not_provided as _not_provided
from stratagem._strategies import experimental_connect_to_cluster as experimental_connect_to_cluster
from stratagem.config import experimental as experimental
from stratagem.config import optimizer as optimizer
from stratagem.config import threading as threading

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("config", name)
