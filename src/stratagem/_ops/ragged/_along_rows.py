"""Functions along rows of ragged tensors, and of the matrices in them: softmax, sums, products, splits, dropout."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops import _elementwise, _reductions
from stratagem._ops._composite import rule
from stratagem._ops._convert import Tensor, static_int, static_shape
from stratagem._ops.linalg import matmul as matrix_product
from stratagem._ops.ragged._layout import axis_of, ragged_or_tensor
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._reductions import FUNCTIONS, reduced
from stratagem._ops.sampling import dropout as tensor_dropout
from stratagem._ops.sampling import stateless_dropout as tensor_stateless_dropout


def softmax(logits: RaggedTensor, axis: Any = None, name: str | None = None) -> RaggedTensor:
    """Returns the softmax of each row of a dimension, by default the last."""
    where = axis_of(-1 if axis is None else axis, len(logits.shape))
    largest = reduced(FUNCTIONS["reduce_max"], logits, where, keepdims=True)
    powers: Any = _elementwise.exp(_elementwise.subtract(logits, largest))
    total = reduced(FUNCTIONS["reduce_sum"], powers, where, keepdims=True)
    return _elementwise.divide(powers, total)  # type: ignore[return-value]


def cumsum(
    x: RaggedTensor, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> RaggedTensor:
    """Returns the cumulative sums of the rows of a dimension, as of a dense tensor with zeros where rows have ended."""
    where = axis_of(axis, len(x.shape))
    if where > x.ragged_rank:
        return x.with_flat_values(_reductions.cumsum(x.flat_values, where - x.ragged_rank, exclusive, reverse))
    dense = _reductions.cumsum(x.to_tensor(), where, exclusive, reverse)
    lengths = [np.diff(splits) for splits in x._known_splits("the rows of tf.cumsum")]
    return RaggedTensor.from_tensor(dense, lengths, row_splits_dtype=x.row_splits.dtype)


def dropout(
    x: RaggedTensor, rate: Any, noise_shape: ShapeLike | None = None, seed: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Returns the tensor with some values set to zero. Raises ValueError for a `noise_shape`."""
    _no_noise_shape(noise_shape)
    return x.with_flat_values(tensor_dropout(x.flat_values, rate, seed=seed))


def stateless_dropout(
    x: RaggedTensor,
    rate: Any,
    seed: Any,
    rng_alg: str | None = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """Returns the tensor with some values set to zero, the same ones for a seed. Raises ValueError for a `noise_shape`."""
    _no_noise_shape(noise_shape)
    return x.with_flat_values(tensor_stateless_dropout(x.flat_values, rate, seed, rng_alg))


def _no_noise_shape(noise_shape: Any) -> None:
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported for a RaggedTensor: leave it out, or give x.to_tensor().")


# --- Splits -----------------------------------------------------------------------------------------------------------


def split(
    value: RaggedTensor, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Any]:
    """Returns this many equal parts along a dimension whose rows are all as long, or parts of these sizes.

    Raises ValueError for a ragged dimension, and InvalidArgumentError for sizes that do not add up.
    """
    where = axis_of(axis, len(value.shape))
    if np.ndim(num_or_size_splits) == 0:
        parts = static_int(num_or_size_splits, "a tensor is the number of splits")
        if parts == 1:
            return [value]
        if parts < 1:
            raise ValueError(f"tf.split takes a part or more, got num_or_size_splits={parts}.")
    total = value.shape[where]
    if total is None:
        raise ValueError(f"Cannot split a ragged dimension: dimension {where} of a tensor of shape {value.shape}.")
    if np.ndim(num_or_size_splits) == 0:
        if total % parts:
            raise InvalidArgumentError(f"tf.split: {total} entries along axis {where} are not divisible by {parts}.")
        sizes = (total // parts,) * parts
    else:
        sizes = static_shape(num_or_size_splits)
    if sum(sizes) != total or min(sizes, default=0) < 0:
        raise InvalidArgumentError(f"tf.split: sizes {list(sizes)} do not add up to {total}.")
    ends = np.cumsum([0, *sizes]).tolist()
    return [_part(value, where, begin, end) for begin, end in itertools.pairwise(ends)]


def _part(value: Any, where: int, begin: int, end: int) -> Any:
    """The entries from `begin` to `end`, excluded, along a dimension."""
    if not isinstance(value, RaggedTensor):
        return value[(slice(None),) * where + (slice(begin, end),)]
    if where < 2:
        return value[begin:end] if where == 0 else value[:, begin:end]
    return value.with_values(_part(value.values, where - 1, begin, end))


# --- Products ---------------------------------------------------------------------------------------------------------


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    name: str | None = None,
) -> Any:
    """Returns the products of the matrices in two tensors of one rank, of which at least one is ragged.

    The matrices of a batch may differ in size; two ragged tensors of rank 2, whose rows all have one length, give a tensor.
    Raises ValueError for different ranks or dtypes, and InvalidArgumentError for matrices that do not fit.
    """
    first, second = ragged_or_tensor(a), ragged_or_tensor(b)
    if first.dtype != second.dtype:
        raise ValueError(f"tf.matmul takes tensors of one dtype, got {first.dtype} and {second.dtype}. Use tf.cast.")
    rank = len(first.shape)
    if rank != len(second.shape) or rank < 2:
        raise ValueError(f"tf.matmul takes ragged tensors of one rank, got {rank} and {len(second.shape)}.")

    def product(x: Tensor, y: Tensor) -> Tensor:
        return matrix_product(x, y, transpose_a, transpose_b, adjoint_a, adjoint_b, output_type=output_type)

    flipped = (transpose_a or adjoint_a, transpose_b or adjoint_b)
    if rank == 2:
        return product(*map(_uniform_matrix, (first, second)))
    return _products(first, second, flipped, product)


def _uniform_matrix(x: Any) -> Tensor:
    dense: Tensor = x.to_tensor() if isinstance(x, RaggedTensor) else x
    if isinstance(x, RaggedTensor) and dense.size != x.flat_values.size:
        raise InvalidArgumentError("The matrices of tf.matmul may not be ragged in their innermost dimension.")
    return dense


def _products(a: Any, b: Any, flipped: tuple[bool, bool], product: Callable[[Tensor, Tensor], Tensor]) -> Any:
    if len(a.shape) > 3:  # all dimensions but those of the matrices become one
        outer, others = (x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x) for x in (a, b))
        if not np.array_equal(outer._known_splits("tf.matmul")[0], others._known_splits("tf.matmul")[0]):
            raise InvalidArgumentError("Batch dimensions of `a` and `b` do not have the same size.")
        return outer.with_values(_products(outer.values, others.values, flipped, product))
    (rows, inner), (other, columns) = (
        sizes[::-1] if flip else sizes for sizes, flip in zip(map(_sizes, (a, b)), flipped, strict=True)
    )
    if not np.array_equal(inner, other):
        raise InvalidArgumentError(
            f"tf.matmul: matrices with {inner.tolist()!s:.100} columns do not fit ones with {other.tolist()!s:.100} rows."
        )
    dense = product(*(x.to_tensor() if isinstance(x, RaggedTensor) else x for x in (a, b)))
    kind = next(x for x in (a, b) if isinstance(x, RaggedTensor)).row_splits.dtype
    lengths = [rows.astype(kind)]
    if isinstance(b, RaggedTensor) and (b.ragged_rank == 2 or flipped[1]):
        lengths.append(np.repeat(columns, rows).astype(kind))
    return RaggedTensor.from_tensor(dense, lengths, row_splits_dtype=kind)


def _sizes(x: Any) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of rows and of columns of each matrix. Raises InvalidArgumentError for rows of different lengths."""
    if not isinstance(x, RaggedTensor):
        batch, rows, columns = x.shape
        return np.full(batch, rows), np.full(batch, columns)
    splits = x._known_splits("the shapes of matrices in tf.matmul")
    rows = np.diff(splits[0])
    if len(splits) == 1:
        return rows, np.full(len(rows), x.flat_values.shape[1])
    lengths, numbers = np.diff(splits[1]), np.repeat(np.arange(len(rows)), rows)
    columns = np.zeros(len(rows), lengths.dtype)
    columns[numbers] = lengths
    if not np.array_equal(columns[numbers], lengths):
        raise InvalidArgumentError("The matrices of tf.matmul may not be ragged in their innermost dimension.")
    return rows, columns


def give_rules() -> None:
    """Lets these functions take ragged tensors."""
    for function in (softmax, cumsum, dropout, stateless_dropout, split, matmul):
        rule(RaggedTensor, function.__name__)(function)
