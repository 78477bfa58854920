"""Counts of numbers in sparse tensors, and sparse counts: `tf.math.bincount` and `tf.sparse.bincount`."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._composite import rule
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._counting import Counting
from stratagem._ops._dtypes import int32
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.sparse._counts import occurring
from stratagem._ops.sparse._sparse_tensor import SparseTensor


@exported("sparse.bincount")
def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Returns the counts of the numbers that occur: a sparse tensor (n,), or (rows, n) with axis -1.

    Without weights, counts have the dtype of the numbers.

    weights: what each number counts, of the shape of `values`, and ragged or sparse as these. n is `maxlength`, or else at
    least `minlength` and one more than the largest number. binary_output: 1 for any count. Raises InvalidArgumentError for
    negative numbers, and ValueError for another axis and for more than two dimensions with axis -1.
    """
    array = tensor(values)
    by_row = Counting.by_row(axis) and array.ndim != 1
    if by_row and array.ndim != 2:
        raise ValueError(f"tf.sparse.bincount counts in the rows of a matrix with axis=-1, got rank {array.ndim}.")
    rows = np.repeat(np.arange(array.shape[0]), array.shape[1]) if by_row else None
    each = None if weights is None else tensor(weights).ravel()
    return occurring(array.ravel(), each, rows, array.shape[0] if by_row else 1, (minlength, maxlength), binary_output)


@rule(SparseTensor, "bincount")
def _dense_counts(
    arr: SparseTensor,
    weights: SparseTensor | None = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """Returns the counts of the entries; places without an entry do not count."""
    rows, count = _rows(arr, axis)
    each = None if weights is None else _weights(arr, weights)
    return Counting(minlength, maxlength, dtype, binary_output).of(arr.values, each, rows, count)


@rule(SparseTensor, "sparse.bincount")
def _sparse_counts(
    values: SparseTensor,
    weights: SparseTensor | None = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Returns the counts of the entries that occur; places without an entry do not count."""
    rows, count = _rows(values, axis)
    each = None if weights is None else _weights(values, weights)
    return occurring(values.values, each, rows, count, (minlength, maxlength), binary_output)


def _rows(values: SparseTensor, axis: Any) -> tuple[np.ndarray | None, int]:
    """The row of each entry and the number of rows; None if all entries are counted together."""
    shape = values.known_shape("tf.math.bincount")
    if not Counting.by_row(axis) or len(shape) == 1:
        return None, 1
    if len(shape) != 2:
        raise ValueError(f"tf.math.bincount counts in the rows of a matrix with axis=-1, got rank {len(shape)}.")
    return values.known_indices("tf.math.bincount")[:, 0], shape[0]


def _weights(values: SparseTensor, weights: SparseTensor) -> Tensor:
    if not isinstance(weights, SparseTensor):
        raise ValueError(f"The weights of a SparseTensor are a SparseTensor, got {type(weights).__name__}.")
    if not np.array_equal(values.known_indices("tf.math.bincount"), weights.known_indices("tf.math.bincount")):
        raise InvalidArgumentError(
            "tf.math.bincount: the weights have other indices than the numbers that are counted."
        )
    return weights.values


accept_symbols(globals(), "sparse.")
