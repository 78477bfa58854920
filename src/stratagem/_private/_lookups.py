"""Look-ups of rows: `keras.ops.take` of a table that is not read as a whole."""

import functools
from collections.abc import Callable
from typing import Any

import jax
from keras.src.backend.jax import numpy as jax_numpy

from stratagem._base.types import TensorLike


def intercept_take(rows: Callable[[TensorLike, TensorLike], TensorLike]) -> None:
    """Let rows(x, indices) answer `keras.ops.take` along axis 0, unless it returns None."""
    take = jax_numpy.take

    @functools.wraps(take)
    def new_take(x: Any, indices: Any, axis: int | None = None) -> Any:
        found = rows(x, indices) if axis == 0 and not isinstance(x, jax.Array) else None
        return take(x, indices, axis=axis) if found is None else found

    global _asked
    jax_numpy.take, _asked = new_take, rows


_asked: Callable[[Any, Any], Any] = lambda table, indices: None  # noqa: E731


def looked_up(table: Any, indices: Any) -> Any:
    """The rows of a table that are to be asked for, not read from all of it; None: there is nobody to ask."""
    return _asked(table, indices)
