"""tf.compat.v1.losses."""

from typing import Any

from stratagem._ops import not_provided
from stratagem._tf1.graph.losses import *


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1.losses", name)
