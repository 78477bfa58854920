"""Counts of numbers: `tf.math.bincount`."""

from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, static_int, tensor
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops._indexing import concrete
from stratagem._ops._segments import unsorted_segment_sum
from stratagem._ops._symbolic import accept_symbols


@final
@dataclass(frozen=True)
class Counting:
    """The options of `tf.math.bincount`, which say how numbers are counted."""

    minlength: Any
    maxlength: Any
    dtype: DTypeLike
    binary: bool

    @staticmethod
    def by_row(axis: Any) -> bool:
        """Returns whether each row is counted. Raises ValueError for another axis than 0, None and -1."""
        if axis not in (None, 0, -1):
            raise ValueError(f"tf.math.bincount counts with axis 0 or -1, got axis={axis}.")
        return axis == -1

    def of(self, values: Tensor, weights: Tensor | None, rows: Any, count: int) -> Tensor:
        """Returns the counts of values, (n,), or of the values of each of `count` rows: (count, n). rows: that of each value.

        Raises ValueError for weights where only 0 or 1 is counted.
        """
        if weights is not None and self.binary:
            raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
        length = self._length(values)
        each = jnp.ones(values.shape, as_dtype(self.dtype).dtype) if weights is None else weights
        if rows is None:
            found = unsorted_segment_sum(each, values, length)
        else:
            places = jnp.where((values >= 0) & (values < length), rows * length + values, -1)
            found = unsorted_segment_sum(each, places, count * length).reshape((count, length))
        return (found > 0).astype(found.dtype) if self.binary else found

    def _length(self, values: Tensor) -> int:
        if self.minlength is not None and self.minlength == self.maxlength:
            return static_int(self.minlength, "a tensor is the length of tf.math.bincount")
        length = int(np.max(concrete("tf.math.bincount", values).astype(np.int64), initial=-1)) + 1
        length = max(length, self.minlength or 0)
        return length if self.maxlength is None else min(length, self.maxlength)


@exported("math.bincount", v1=["bincount", "math.bincount"])
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """The count of each number, from 0; with axis -1, in each row of a matrix. binary_output: 1 for any count.

    Inside a trace `minlength` and `maxlength` must be given and equal. Raises ValueError for another axis than 0 and -1,
    for more than two dimensions with axis -1, and for `weights` with `binary_output`.
    """
    array = tensor(arr)
    by_row = Counting.by_row(axis) and array.ndim != 1
    if by_row and array.ndim != 2:
        raise ValueError(f"tf.math.bincount counts in the rows of a matrix with axis=-1, got rank {array.ndim}.")
    rows = np.repeat(np.arange(array.shape[0]), array.shape[1]) if by_row else None
    each = None if weights is None else tensor(weights).ravel()
    count = Counting(minlength, maxlength, dtype, binary_output)
    return count.of(array.ravel(), each, rows, array.shape[0] if by_row else 1)


accept_symbols(globals())
