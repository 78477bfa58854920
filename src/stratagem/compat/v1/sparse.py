"""tf.compat.v1.sparse: the names of tf.sparse that take the same arguments."""

from typing import Any as _Any

from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("sparse", name)
