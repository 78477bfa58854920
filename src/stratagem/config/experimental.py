"""tf.config.experimental."""

from typing import Any

from stratagem._ops import not_provided
from stratagem._strategies import list_logical_devices as list_logical_devices
from stratagem._strategies import list_physical_devices as list_physical_devices
from stratagem._strategies import set_memory_growth as set_memory_growth


def __getattr__(name: str) -> Any:
    raise not_provided("config.experimental", name)
