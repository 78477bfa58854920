"""The creation of ragged tensors: from Python's lists, ranges of numbers, rows by number; and row splits as segment numbers."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops import _indexing
from stratagem._ops._convert import Tensor, on_device, operands, static_int, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, float32
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._layout import ragged_or_tensor
from stratagem._ops.ragged._padding import merged_dims, taken
from stratagem._ops.ragged._ragged_tensor import RaggedTensor


@exported("ragged.constant")
def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: ShapeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = np.int64,
) -> Any:
    """Returns nested lists as a RaggedTensor; a tensor of a scalar, and with `ragged_rank=0`.

    dtype: of the values, by default that of their Python types, float32 of no values. ragged_rank: how many dimensions after
    the first are ragged: without it all, but for the last ones with `inner_shape`. inner_shape: the sizes of the dimensions
    after those. row_splits_dtype: int32 or int64. Raises ValueError for scalars and lists side by side, and for lists of
    fewer dimensions or other sizes than were asked for.
    """
    kind = row_splits_.splits_dtype(row_splits_dtype)
    rows = _plain(pylist)
    depth, scalar_depth = _depth(rows), _scalar_depth(rows)
    if scalar_depth is not None and depth > scalar_depth:
        raise ValueError(f"Invalid pylist={pylist!r:.200}: empty list nesting is greater than scalar value nesting.")
    if not isinstance(rows, list):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r:.200}: incompatible with ragged_rank={ragged_rank}.")
        return tensor(rows, dtype)
    sizes = None if inner_shape is None else static_shape(inner_shape)
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - len(sizes or ()))
        sizes = () if sizes is None else sizes
    if depth <= ragged_rank and scalar_depth is not None:
        raise ValueError(f"Invalid pylist={pylist!r:.200}: incompatible with ragged_rank={ragged_rank}.")
    lengths: list[np.ndarray] = []
    while len(lengths) < ragged_rank:
        lengths.append(np.array([len(row) for row in rows], kind))
        rows = [value for row in rows for value in row]
    found: Any = _values(rows, dtype, sizes)
    for each in reversed(lengths):
        found = RaggedTensor(found, row_splits_.from_lengths(each))
    return found


def _plain(value: Any) -> Any:
    """Lists in place of tuples, arrays and tensors."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray | np.generic):
        return [_plain(each) for each in np.asarray(value)] if np.ndim(value) else value
    return np.asarray(value) if hasattr(value, "__jax_array__") else value


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _scalar_depth(value: Any) -> int | None:
    """The depth of the scalars, None without any. Raises ValueError for different depths."""
    if not isinstance(value, list):
        return 0
    depths = {depth for each in value if (depth := _scalar_depth(each)) is not None}
    if len(depths) > 1:
        raise ValueError(f"Invalid pylist={value!r:.200}: inconsistent nesting depth of scalars.")
    return depths.pop() + 1 if depths else None


def _values(rows: list[Any], dtype: DTypeLike | None, sizes: tuple[int, ...] | None) -> Tensor:
    if sizes is None:
        sizes, inside = (), rows
        while inside and isinstance(inside[0], list):
            sizes, inside = (*sizes, len(inside[0])), inside[0]
    if not rows:
        return tensor(np.zeros((0, *sizes), as_dtype(float32 if dtype is None else dtype).dtype))
    try:
        found = tensor(rows, dtype)
    except TypeError as error:
        raise ValueError(f"Values {rows!r:.100} are not of dtype {dtype!r}.") from error
    if tuple(found.shape[1:]) != sizes:
        raise ValueError(f"Values of shape {found.shape[1:]} are not of the inner_shape {list(sizes)}.")
    return found


@exported("ragged.range")
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = np.int64,
) -> RaggedTensor:
    """Returns rows of numbers: row i has those from `starts[i]` (0 if only one is given) up to `limits[i]`, excluded.

    The arguments are scalars or rows of one length. Raises InvalidArgumentError for a step of 0, and for different lengths.
    """
    first, last = (0, starts) if limits is None else (starts, limits)
    if dtype is not None:
        first, last, deltas = (tensor(np.asarray(v), None).astype(as_dtype(dtype).dtype) for v in (first, last, deltas))
    given = [
        _indexing.concrete("tf.ragged.range", v) for v in operands("ragged.range", *_tensors_first(first, last, deltas))
    ]
    if any(v.ndim > 1 for v in given) or len({len(v) for v in given if v.ndim}) > 1:
        raise InvalidArgumentError(
            f"tf.ragged.range takes scalars or rows of one length, got {[v.shape for v in given]}."
        )
    begin, end, step = (np.atleast_1d(v) for v in np.broadcast_arrays(*given))
    if (step == 0).any():
        raise InvalidArgumentError("tf.ragged.range: a step of 0 never arrives.")
    rows = [np.arange(a, b, s, dtype=begin.dtype) for a, b, s in zip(begin, end, step, strict=True)]
    lengths = np.array([len(row) for row in rows], row_splits_.splits_dtype(row_splits_dtype))
    values = np.concatenate([np.zeros(0, begin.dtype), *rows])
    return RaggedTensor(on_device(values), row_splits_.from_lengths(lengths))


def _tensors_first(*values: Any) -> tuple[Any, ...]:
    """The values, of one dtype if none is a tensor: lists of integers beside a fraction are fractions."""
    kinds = [np.asarray(v) for v in values if not hasattr(v, "aval")]
    fraction = any(v.dtype.kind == "f" for v in kinds) and not any(hasattr(v, "aval") for v in values)
    return tuple(tensor(v, float32) if fraction and np.asarray(v).dtype.kind != "f" else tensor(v) for v in values) if (
        fraction
    ) else values  # fmt: skip


@exported("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> RaggedTensor:
    """Returns the values of each partition as a row.

    partitions: the number of each value's partition, of the first dimensions of `data`. Raises InvalidArgumentError for a
    partition that does not exist, and for another shape.
    """
    values, given = ragged_or_tensor(data), ragged_or_tensor(partitions)
    count = static_int(num_partitions, "a tensor is the number of partitions")
    last = len(given.shape) - 1
    numbers = _indexing.concrete(
        "tf.ragged.stack_dynamic_partitions", merged_dims(given, 0, last) if last > 0 else given
    )
    if last < 0:
        numbers, values = numbers[None], values[None]
    elif last:
        values = merged_dims(values, 0, last)
    rows = values._nrows() if isinstance(values, RaggedTensor) else values.shape[0]
    if len(numbers) != rows or ((numbers < 0) | (numbers >= count)).any():
        raise InvalidArgumentError(
            f"tf.ragged.stack_dynamic_partitions takes a number from 0 to {count - 1} for each of {rows} values, got "
            f"{numbers.tolist()!s:.200}."
        )
    lengths = np.bincount(numbers, minlength=count).astype(numbers.dtype)
    order = np.argsort(numbers, kind="stable")
    return RaggedTensor(taken(values, order), row_splits_.from_lengths(lengths))


@exported("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
    """Returns the number of the row of each value, of the splits' dtype. Raises ValueError for no row of integers."""
    found = row_splits_.known(row_splits_.integers("splits", splits, out_type), "the number of values")
    if not len(found):
        raise ValueError("Row splits are one more than the rows, got none.")
    return on_device(np.asarray(row_splits_.rowids(found, int(found[-1]))))


@exported("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the row splits of values whose rows have these numbers, in order. num_segments: how many rows there are."""
    ids = row_splits_.known(row_splits_.integers("segment_ids", segment_ids, out_type), "the number of rows")
    least = int(ids[-1]) + 1 if len(ids) else 0
    rows = least if num_segments is None else static_int(num_segments, "a tensor is the number of segments")
    if (np.diff(ids) < 0).any() or rows < least:
        raise InvalidArgumentError(f"Segments are in order, from 0 to {rows - 1}, got {ids.tolist()!s:.200}.")
    return on_device(np.asarray(row_splits_.from_rowids(ids, rows)))
