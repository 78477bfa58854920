"""tf.compat.v1.losses."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._tf1.graph.losses import *


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat.v1.losses", name)
