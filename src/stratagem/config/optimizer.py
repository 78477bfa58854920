"""tf.config.optimizer."""

from typing import Any as _Any

from stratagem._devices import get_experimental_options as get_experimental_options
from stratagem._devices import get_jit as get_jit
from stratagem._devices import set_experimental_options as set_experimental_options
from stratagem._devices import set_jit as set_jit
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("config.optimizer", name)
