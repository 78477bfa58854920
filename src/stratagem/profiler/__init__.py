"""tf.profiler."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem.profiler import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("profiler", name)
