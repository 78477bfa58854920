"""tf.config.experimental."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._strategies import list_logical_devices as list_logical_devices
from stratagem._strategies import list_physical_devices as list_physical_devices
from stratagem._strategies import set_memory_growth as set_memory_growth


def __getattr__(name: str) -> _Any:
    raise _not_provided("config.experimental", name)
