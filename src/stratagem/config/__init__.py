"""tf.config."""

from typing import Any

from stratagem._ops import not_provided
from stratagem.config import experimental as experimental
from stratagem.strategy import LogicalDevice as LogicalDevice
from stratagem.strategy import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from stratagem.strategy import PhysicalDevice as PhysicalDevice
from stratagem.strategy import list_logical_devices as list_logical_devices
from stratagem.strategy import list_physical_devices as list_physical_devices
from stratagem.strategy import set_logical_device_configuration as set_logical_device_configuration


def __getattr__(name: str) -> Any:
    raise not_provided("config", name)
