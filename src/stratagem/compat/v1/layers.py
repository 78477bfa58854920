"""tf.compat.v1.layers."""

from typing import Any

from stratagem._ops import not_provided
from stratagem._tf1.graph.layers import *


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1.layers", name)
