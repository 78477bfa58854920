"""tf.experimental.dlpack."""

from typing import Any as _Any

from stratagem._ops import from_dlpack as from_dlpack
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import to_dlpack as to_dlpack


def __getattr__(name: str) -> _Any:
    raise _not_provided("experimental.dlpack", name)
