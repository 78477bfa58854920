"""Selection from ragged tensors, and by them: gather, gather_nd, where, boolean_mask."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops import _indexing
from stratagem._ops._composite import rule
from stratagem._ops._convert import on_device, static_int
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._broadcasting import applied
from stratagem._ops.ragged._layout import ragged_or_tensor
from stratagem._ops.ragged._padding import coordinates, taken
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._row_splits import known

_HINT = "the shape of the result"


@rule(RaggedTensor, "gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Returns the rows of `params` with these numbers; with `batch_dims`, the numbers of each row choose within the same row.

    Raises ValueError for another axis than the first after `batch_dims`, and InvalidArgumentError for a number out of range.
    """
    where = batch_dims if axis is None else static_int(axis, "a tensor is an axis")
    rows, numbers = ragged_or_tensor(params), ragged_or_tensor(indices)
    where += len(rows.shape) if where < 0 else 0
    batches = batch_dims + (len(numbers.shape) if batch_dims < 0 else 0)
    if where != batches:
        raise ValueError(
            f"tf.gather of ragged tensors chooses along the first dimension after batch_dims={batches}, not along {where}."
        )
    if batches:
        return _gathered_in_rows(rows, numbers, batches)
    if isinstance(numbers, RaggedTensor):
        return numbers.with_values(gather(rows, numbers.values))
    if not isinstance(rows, RaggedTensor):
        return _indexing.gather(rows, numbers)
    known_numbers = _indexing.concrete("tf.gather of a RaggedTensor", numbers)
    _check(known_numbers, np.array(rows._nrows()))
    found: Any = rows.taken(known_numbers.ravel())
    for size in known_numbers.shape[:0:-1]:
        count = found._nrows() // max(size, 1)
        found = RaggedTensor(found, row_splits_.uniform(size, count, rows._splits.dtype), size)
    return found if known_numbers.ndim else found[0]


def _gathered_in_rows(rows: Any, numbers: Any, batches: int) -> Any:
    """The values that the numbers in each row choose in the row of the same number."""
    if not isinstance(numbers, RaggedTensor):
        found = _gathered_in_rows(rows, RaggedTensor.from_tensor(numbers), batches)
        inner = found.values
        return found if isinstance(inner, RaggedTensor) else inner.reshape((*numbers.shape[:2], *inner.shape[1:]))
    rows = rows if isinstance(rows, RaggedTensor) else RaggedTensor.from_tensor(rows)
    if rows._nrows() != numbers._nrows():
        raise InvalidArgumentError(f"tf.gather: {rows._nrows()} and {numbers._nrows()} rows are not the same batch.")
    if batches > 1:
        if not row_splits_.same(rows._splits, numbers._splits):
            raise InvalidArgumentError("tf.gather: the rows of params and indices are not the same batches.")
        return numbers.with_values(gather(rows.values, numbers.values, batch_dims=batches - 1))
    splits, inner = known(rows._splits, _HINT), numbers.values
    flat = inner.flat_values if isinstance(inner, RaggedTensor) else inner
    chosen = _indexing.concrete("tf.gather of a RaggedTensor", flat)
    batch = np.asarray(numbers._rowids())
    for level in numbers._levels()[1:]:
        batch = batch[np.asarray(level._rowids())]
    batch = batch.reshape((-1, *[1] * (chosen.ndim - 1)))
    _check(chosen, row_splits_.lengths(splits)[batch])
    places = splits[:-1][batch] + chosen
    if isinstance(inner, RaggedTensor):
        return numbers.with_values(inner.with_flat_values(gather(rows.values, places)))
    return numbers.with_values(gather(rows.values, places))


def _check(numbers: np.ndarray, sizes: np.ndarray) -> None:
    wrong = (numbers < 0) | (numbers >= sizes)
    if wrong.any():
        bad = int(np.flatnonzero(wrong)[0])
        size = np.broadcast_to(sizes, numbers.shape).ravel()[bad]
        raise InvalidArgumentError(f"Index {numbers.ravel()[bad]} is not in [0, {size}).")


@rule(RaggedTensor, "gather_nd")
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Any:
    """Returns the parts of `params` at the places that the last dimension of `indices` gives.

    Raises ValueError for `batch_dims`, and InvalidArgumentError for a place that does not exist.
    """
    if batch_dims:
        raise ValueError("tf.gather_nd of ragged tensors takes no batch_dims.")
    rows, numbers = ragged_or_tensor(params), ragged_or_tensor(indices)
    if isinstance(numbers, RaggedTensor):
        if numbers.shape[-1] is None:
            raise ValueError("tf.gather_nd takes indices whose last dimension has one size.")
        return numbers.with_values(gather_nd(rows, numbers.values))
    places = _indexing.concrete("tf.gather_nd of a RaggedTensor", numbers)
    if not isinstance(rows, RaggedTensor):
        return _indexing.gather_nd(rows, numbers)
    if not places.shape[-1]:
        return gather(_in_row(rows), np.zeros(places.shape[:-1], np.int64))
    first, rest = places[..., 0], places[..., 1:]
    while rest.shape[-1] and isinstance(rows, RaggedTensor):
        splits = known(rows._splits, _HINT)
        _check(first, np.array(rows._nrows()))
        _check(rest[..., 0], row_splits_.lengths(splits)[first])
        first, rest, rows = splits[:-1][first] + rest[..., 0], rest[..., 1:], rows.values
    if isinstance(rows, RaggedTensor):
        return gather(rows, first)
    return _indexing.gather_nd(rows, np.concatenate([first[..., None], rest], axis=-1))


def _in_row(rows: RaggedTensor) -> RaggedTensor:
    return RaggedTensor(rows, row_splits_.uniform(rows._nrows(), 1, rows._splits.dtype), rows._nrows())


@rule(RaggedTensor, "where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Returns `x` where the condition holds, else `y`, by element; without them the places where it holds, (n, rank)."""
    if x is not None and y is not None:
        return applied(_indexing.where, condition, x, y)
    if x is not None or y is not None:
        raise ValueError("tf.where takes both x and y, or neither.")
    holds = _indexing.concrete("tf.where", condition.flat_values)
    rows = coordinates(condition._known_splits(_HINT), len(holds))
    found = np.nonzero(holds)
    return on_device(np.stack([*(part[found[0]] for part in rows), *found[1:]], axis=1).astype(np.int64))


@exported("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the values for which the mask is True, in rows for every dimension of the mask but the first.

    data, mask: ragged tensors or tensors; the mask has the rows of the data, in as many dimensions as it has. Raises ValueError
    for a scalar mask, for one that is not bool, and InvalidArgumentError for one of other rows.
    """
    chosen, values = ragged_or_tensor(mask), ragged_or_tensor(data)
    if np.dtype(chosen.dtype) != np.bool_:
        raise ValueError(f"tf.ragged.boolean_mask takes a mask of bool, got {chosen.dtype}.")
    if not len(chosen.shape):
        raise ValueError("tf.ragged.boolean_mask takes a mask with one dimension or more, got a scalar.")
    return _masked(values, chosen)


def _masked(values: Any, mask: Any) -> Any:
    if not isinstance(mask, RaggedTensor) and mask.ndim == 1:
        chosen = _indexing.concrete("tf.ragged.boolean_mask", mask)
        rows = values._nrows() if isinstance(values, RaggedTensor) else values.shape[0]
        if len(chosen) != rows:
            raise InvalidArgumentError(f"A mask of {len(chosen)} rows is none of {rows} rows.")
        return taken(values, np.flatnonzero(chosen))
    rows, holds = (v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(v) for v in (values, mask))
    if not row_splits_.same(rows._splits, holds._splits):
        raise InvalidArgumentError("tf.ragged.boolean_mask: the mask has not the rows of the data.")
    inner = _masked(rows.values, holds.values)
    if isinstance(holds.values, RaggedTensor) or holds.values.ndim > 1:
        return holds.with_values(inner) if isinstance(inner, RaggedTensor) else inner
    kept = np.asarray(holds._rowids())[_indexing.concrete("tf.ragged.boolean_mask", holds.values)]
    splits = row_splits_.from_rowids(kept.astype(holds._splits.dtype), holds._nrows())
    return RaggedTensor(inner, splits)
