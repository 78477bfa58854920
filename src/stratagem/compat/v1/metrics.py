"""tf.compat.v1.metrics."""

from typing import Any

from stratagem._ops import not_provided
from stratagem._tf1.graph.metrics import *


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1.metrics", name)
