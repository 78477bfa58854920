"""tf.compat."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._core.values import dimension_at_index as dimension_at_index
from stratagem._core.values import dimension_value as dimension_value
from stratagem._ops import not_provided as _not_provided
from stratagem.compat import v1 as v1

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat", name)
