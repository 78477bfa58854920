"""TensorRange: the numbers of a range whose bounds are known only when the program runs."""

import dataclasses
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.context import recording
from stratagem._core.step import UnmadeTensor, is_symbolic
from stratagem._ops import DType, as_dtype, is_traced, tensor


@final
@dataclass(frozen=True, eq=False)
class TensorRange(UnmadeTensor):
    """The result of `range(n)` and `tf.range(n)` for a tensor `n` of a trace: something to loop over.

    length: the number of values, int32. dtype: theirs. start, step: scalars, if they are not 0 and 1. rows: the tensor whose
    rows are looped over, or None. symbol: the length where it is an unknown size of a function that is exported.
    """

    length: jax.Array
    dtype: np.dtype
    start: jax.Array | None = None
    step: jax.Array | None = None
    rows: jax.Array | None = None
    symbol: Any = None

    @classmethod
    def of_range(
        cls, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: object = None
    ) -> "TensorRange":
        """The numbers from `start` (0 if only one bound is given) up to but excluding `limit`."""
        bounds = [tensor(v) for v in ((0, start) if limit is None else (start, limit))]
        step = tensor(delta)
        kind = np.dtype(jnp.result_type(*bounds, step) if dtype is None else _numpy_type(dtype))
        first, last, step = (v.astype(kind) for v in (*bounds, step))
        if limit is None and kind.kind in "iu" and isinstance(delta, int) and delta == 1:
            # The usual range; the division below takes longer to trace than the body of many a loop.
            length = jnp.maximum(last, 0).astype(jnp.int32)
            return cls(length, kind, symbol=start if is_symbolic(start) else None)
        count = jnp.ceil((last - first) / step) if jnp.issubdtype(kind, jnp.inexact) else -((first - last) // step)
        return cls(jnp.maximum(count, 0).astype(jnp.int32), kind, first, step)

    @classmethod
    def of_rows(cls, rows: jax.Array) -> "TensorRange":
        """The rows of a tensor."""
        return cls(jnp.asarray(rows.shape[0], jnp.int32), np.dtype(rows.dtype), rows=rows)

    def limited(self, length: Any) -> "TensorRange":
        """Returns the first `length` of the values, if there are more."""
        return dataclasses.replace(self, length=jnp.minimum(self.length, tensor(length).astype(jnp.int32)))

    def at(self, place: jax.Array) -> jax.Array:
        """Returns the value at this place, an int32 scalar."""
        if self.rows is not None:
            return self.rows[place]
        number = place.astype(self.dtype)
        return number if self.start is None or self.step is None else self.start + number * self.step

    def __jax_array__(self) -> Any:
        if self.symbol is not None:
            return jnp.arange(self.symbol, dtype=self.dtype)
        if is_traced(self.length):
            recording().need_host("it computes with a range whose length is a tensor")
        return self.at(jnp.arange(int(self.length)))

    def __iter__(self) -> Any:
        recording().need_host("it iterates over a range whose length is a tensor")


def _numpy_type(dtype: Any) -> Any:
    found = as_dtype(dtype)
    return found.dtype if isinstance(found, DType) else found
