"""tf.config."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._core.step import functions_run_eagerly as functions_run_eagerly
from stratagem._core.step import run_functions_eagerly as run_functions_eagerly
from stratagem._ops import not_provided as _not_provided
from stratagem._strategies import LogicalDevice as LogicalDevice
from stratagem._strategies import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from stratagem._strategies import PhysicalDevice as PhysicalDevice
from stratagem._strategies import list_logical_devices as list_logical_devices
from stratagem._strategies import list_physical_devices as list_physical_devices
from stratagem._strategies import set_logical_device_configuration as set_logical_device_configuration
from stratagem.config import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("config", name)
