"""Ragged and sparse tensors as leaves of elements, whose parts, composites of NumPy arrays, are in the host's memory."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import CompositeTensor
from stratagem._ops.ragged import RaggedTensor, rounded_up
from stratagem._ops.sparse import SparseTensor, SparseTensorValue


class RaggedRow(np.ndarray):
    """A row of a ragged tensor, whose elements are no longer ragged: a batch of such rows is ragged again.

    splits_dtype: that of the row splits of the tensor; None for what is only a part of a row.
    """

    splits_dtype: np.dtype[Any] | None = None


def ragged_rows(array: np.ndarray, splits: np.ndarray) -> list[RaggedRow]:
    """Returns the rows of an array between each place and the next."""
    found = []
    for begin, end in itertools.pairwise(splits.tolist()):
        row = array[begin:end].view(RaggedRow)
        row.splits_dtype = splits.dtype
        found.append(row)
    return found


def rows_batched(rows: Sequence[Any]) -> RaggedTensor:
    """Returns rows, which may differ in length, as a ragged tensor."""
    splits = np.cumsum([0, *map(len, rows)]).astype(rows[0].splits_dtype)
    return RaggedTensor(np.concatenate([row.view(np.ndarray) for row in rows]), splits)


def composite_rows(composite: CompositeTensor) -> int:
    """Returns the size of the first dimension."""
    rows: int = composite.shape[0]  # type: ignore[attr-defined]
    return rows


def slice_of_composite(composite: Any, start: int, stop: int) -> CompositeTensor:
    """Returns the rows from `start` up to but excluding `stop`."""
    rows = np.arange(composite_rows(composite))[start:stop]
    if isinstance(composite, RaggedTensor):
        return composite.taken(rows)
    indices, shape = composite.known_indices("rows"), composite.known_shape("rows")
    inside = (indices[:, 0] >= start) & (indices[:, 0] < stop)
    moved = indices[inside] - np.array([start, *[0] * (len(shape) - 1)])
    return SparseTensor(moved, _numpy(composite)[inside], np.array([len(rows), *shape[1:]]))


def with_room(composite: CompositeTensor, values: int) -> CompositeTensor:
    """Returns a ragged tensor of numbers with room for this many values, rounded up, so that few sizes of it occur.

    Each size of an array needs a program of its own. All other composite tensors are as they are.
    """
    if not _has_room(composite):
        return composite
    return composite._with_spare(rounded_up(values))  # type: ignore[attr-defined]


def values_in_rows(composite: CompositeTensor, start: int, stop: int) -> int:
    """Returns how many values the rows from `start` up to `stop` have; 0 for what never has room for more."""
    if not _has_room(composite):
        return 0
    splits = np.asarray(composite._splits)  # type: ignore[attr-defined]
    return int(splits[stop] - splits[start])


def _has_room(composite: Any) -> bool:
    return isinstance(composite, RaggedTensor) and composite.ragged_rank == 1 and composite.dtype != object


def rows_of_composite(composite: Any) -> list[Any]:
    """Returns the rows: of one ragged dimension arrays, of several RaggedTensors, and of a SparseTensor such ones."""
    if isinstance(composite, SparseTensor):
        return [_without_first(slice_of_composite(composite, i, i + 1)) for i in range(composite_rows(composite))]
    inner, splits = composite._values, np.asarray(composite._splits)
    if isinstance(inner, RaggedTensor):
        return [inner.taken(np.arange(a, b)) for a, b in itertools.pairwise(splits.tolist())]
    return ragged_rows(np.asarray(inner), splits)


def _without_first(sparse: Any) -> SparseTensor:
    return SparseTensor(sparse.known_indices("rows")[:, 1:], _numpy(sparse), np.array(sparse.known_shape("rows")[1:]))


def _numpy(sparse: SparseTensor) -> np.ndarray:
    return np.asarray(sparse._values)


def composites_stacked(component: int, rows: Sequence[Any]) -> Any:
    """Returns ragged or sparse tensors as one with a new first dimension.

    Raises InvalidArgumentError for sparse tensors of different shapes, and for different dtypes.
    """
    if isinstance(rows[0], RaggedTensor):
        counts = np.array([row.shape[0] for row in rows], rows[0]._splits.dtype)
        return RaggedTensor(
            ragged_rows_joined(rows), np.concatenate([counts[:0], [0], np.cumsum(counts)]).astype(counts.dtype)
        )
    shapes = {row.known_shape("a batch") for row in rows}
    if len(shapes) > 1 or len({row.dtype for row in rows}) > 1:
        raise InvalidArgumentError(
            f"Cannot batch sparse tensors with different shapes in component {component}: {sorted(shapes)!s:.200}. Use "
            "tf.data.experimental.dense_to_sparse_batch, or make them dense by tf.sparse.to_dense and use `padded_batch`."
        )
    indices = [np.insert(row.known_indices("a batch"), 0, i, axis=1) for i, row in enumerate(rows)]
    values = np.concatenate([_numpy(row) for row in rows])
    return SparseTensor(np.concatenate(indices), values, np.array([len(rows), *shapes.pop()]))


def ragged_rows_joined(rows: Sequence[Any]) -> Any:
    """Returns ragged tensors, or arrays, one after the other along their first dimension."""
    if not isinstance(rows[0], RaggedTensor):
        return np.concatenate([np.asarray(row) for row in rows])
    lengths = np.concatenate([np.diff(np.asarray(row._splits)) for row in rows])
    splits = np.concatenate([lengths[:0], [0], np.cumsum(lengths)]).astype(lengths.dtype)
    uniform = {row._uniform for row in rows}
    return RaggedTensor(
        ragged_rows_joined([row._values for row in rows]), splits, uniform.pop() if len(uniform) == 1 else None
    )


def with_sparse_tensors(nest: Any) -> Any:
    """Returns the nest with a SparseTensor in place of each `tf.compat.v1.SparseTensorValue`, which is a tuple as well."""
    if isinstance(nest, SparseTensorValue):
        return SparseTensor.from_value(nest)
    if isinstance(nest, dict):
        found = {key: with_sparse_tensors(part) for key, part in nest.items()}
        return found if any(part is not nest[key] for key, part in found.items()) else nest
    if isinstance(nest, tuple):
        parts = [with_sparse_tensors(part) for part in nest]
        if all(part is given for part, given in zip(parts, nest, strict=True)):
            return nest
        return type(nest)(*parts) if hasattr(nest, "_fields") else tuple(parts)
    return nest
