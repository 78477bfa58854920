"""The counts of the numbers that occur, as sparse tensors."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops._convert import Tensor, static_int
from stratagem._ops._indexing import concrete, gather
from stratagem._ops._segments import unsorted_segment_sum
from stratagem._ops.sparse._layout import sparse_of
from stratagem._ops.sparse._sparse_tensor import SparseTensor


def occurring(
    values: Tensor,
    weights: Tensor | None,
    rows: np.ndarray | None,
    count: int,
    lengths: tuple[Any, Any],
    binary: bool,
) -> SparseTensor:
    """Returns the counts of values, or of those in each of `count` rows. rows: that of each value. lengths: least and most."""
    numbers = concrete("tf.sparse.bincount", values).astype(np.int64)
    if (numbers < 0).any():
        raise InvalidArgumentError(f"tf.sparse.bincount counts numbers from 0, got {numbers.min()}.")
    least, most = (None if n is None else static_int(n, "a tensor is a length of tf.sparse.bincount") for n in lengths)
    length = max(least or 0, int(numbers.max(initial=-1)) + 1) if most is None else most
    kept = np.flatnonzero(numbers < length)
    at = numbers[kept] if rows is None else rows[kept] * length + numbers[kept]
    places, groups = np.unique(at, return_inverse=True)
    if weights is None:
        found = np.ones(len(places)) if binary else np.bincount(groups, minlength=len(places))
        counts: Any = found.astype(values.dtype)
    else:
        counts = unsorted_segment_sum(gather(weights, kept), groups, len(places))
    shape = [length] if rows is None else [count, length]
    return sparse_of(np.stack(np.unravel_index(places, shape), axis=1), counts, shape)
