"""tf.compat.v1.estimator: everything that tf.estimator has."""

from typing import Any as _Any

from stratagem import estimator as _estimator


def __getattr__(name: str) -> _Any:
    return getattr(_estimator, name)
