"""tf.train.experimental."""

from typing import Any as _Any

from stratagem._checkpoints import PythonState as PythonState
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("train.experimental", name)
