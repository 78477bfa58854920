"""Counts of numbers in ragged tensors: `tf.math.bincount` and `tf.sparse.bincount`."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike
from stratagem._ops._composite import rule
from stratagem._ops._convert import Tensor
from stratagem._ops._counting import Counting
from stratagem._ops._dtypes import int32
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._row_splits import same
from stratagem._ops.sparse import SparseTensor, occurring


def bincount(
    arr: RaggedTensor,
    weights: RaggedTensor | None = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """Returns the counts of the values, or of the values of each row."""
    rows, count = _rows(arr, axis)
    return Counting(minlength, maxlength, dtype, binary_output).of(
        arr.flat_values.ravel(), _weights(arr, weights), rows, count
    )


def sparse_bincount(
    values: RaggedTensor,
    weights: RaggedTensor | None = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Returns the counts of the values that occur, or of those in each row."""
    rows, count = _rows(values, axis)
    known = None if rows is None else np.asarray(rows)
    each = _weights(values, weights)
    return occurring(values.flat_values.ravel(), each, known, count, (minlength, maxlength), binary_output)


def _rows(values: RaggedTensor, axis: Any) -> tuple[Any, int]:
    """The row of each value and the number of rows; None if all values are counted together."""
    if not Counting.by_row(axis):
        return None, 1
    if len(values.shape) != 2:
        raise ValueError(f"tf.math.bincount counts in the rows of a matrix with axis=-1, got rank {len(values.shape)}.")
    return values._rowids(), values._nrows()


def _weights(values: RaggedTensor, weights: Any) -> Tensor | None:
    if weights is None:
        return None
    if not isinstance(weights, RaggedTensor):
        raise ValueError(f"The weights of a RaggedTensor are a RaggedTensor, got {type(weights).__name__}.")
    mine, others = values._levels(), weights._levels()
    if len(mine) != len(others) or not all(same(a._splits, b._splits) for a, b in zip(mine, others, strict=True)):
        raise InvalidArgumentError("tf.math.bincount: the weights have other rows than the numbers that are counted.")
    return weights.flat_values.ravel()


def give_rules() -> None:
    """Lets these functions take ragged tensors."""
    rule(RaggedTensor, "bincount")(bincount)
    rule(RaggedTensor, "sparse.bincount")(sparse_bincount)
