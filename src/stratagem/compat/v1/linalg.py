"""tf.compat.v1.linalg: the names of tf.linalg, some with other arguments."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.reductions import norm as norm
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("linalg", name)
