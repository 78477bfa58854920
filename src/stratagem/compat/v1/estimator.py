"""tf.compat.v1.estimator: everything that tf.estimator has."""

from typing import Any

from stratagem import estimator


def __getattr__(name: str) -> Any:
    return getattr(estimator, name)
