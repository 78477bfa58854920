"""Look-ups of rows: `keras.ops.take` of a table that is not read as a whole."""

import functools
from collections.abc import Callable
from typing import Any

import jax
from keras.src.backend.jax import numpy as jax_numpy


def intercept_take(rows: Callable[[Any, Any], Any], mark: Callable[[Any, jax.Array], jax.Array]) -> None:
    """Let rows(x, indices) answer `keras.ops.take` along axis 0, unless it returns None; then mark(x, taken) is the result."""
    take = jax_numpy.take

    @functools.wraps(take)
    def new_take(x: Any, indices: Any, axis: int | None = None) -> Any:
        if axis != 0 or isinstance(x, jax.Array):
            return take(x, indices, axis=axis)
        found = rows(x, indices)
        return mark(x, take(x, indices, axis=axis)) if found is None else found

    global _asked
    jax_numpy.take, _asked = new_take, rows


_asked: Callable[[Any, Any], Any] = lambda table, indices: None  # noqa: E731


def looked_up(table: Any, indices: Any) -> Any:
    """The rows of a table that are to be asked for, not read from all of it; None: there is nobody to ask."""
    return _asked(table, indices)
