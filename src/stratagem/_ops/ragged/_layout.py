"""The layout of ragged tensors: concatenation, stacking, and dimensions that are inserted, removed, repeated and reversed."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops import _arrays
from stratagem._ops._composite import rule
from stratagem._ops._convert import Tensor, on_device, static_axes, static_int, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._makers import count
from stratagem._ops.ragged._padding import taken
from stratagem._ops.ragged._ragged_tensor import RaggedTensor

_HINT = "the shape of the result"


def axis_of(axis: Any, rank: int) -> int:
    """Returns a dimension as a number from 0. Raises ValueError for one that does not exist."""
    found = static_int(axis, "a tensor is an axis")
    if not -rank <= found < rank:
        raise ValueError(
            f"axis={found} is out of bounds: a tensor of rank {rank} has the dimensions {-rank} to {rank - 1}."
        )
    return found % rank


def ragged_or_tensor(value: Any) -> Any:
    """Returns a RaggedTensor as it is, all else as a tensor."""
    return value if isinstance(value, RaggedTensor) else tensor(value)


@rule(RaggedTensor, "concat")
def concat(values: Sequence[Any], axis: Any, name: str = "concat") -> Any:
    """Returns ragged tensors and tensors one after the other along a dimension."""
    return combined(values, axis, stacks=False)


@exported("ragged.stack")
@rule(RaggedTensor, "stack")
def stack(values: Sequence[Any], axis: Any = 0, name: str | None = None) -> Any:
    """Returns tensors, ragged or not, of one rank along a new dimension, whose rows may differ in length.

    Only tensors that are stacked along the last dimension make a tensor; else the result is a RaggedTensor. Raises ValueError
    for no tensors, for different ranks, and for a dimension that does not exist.
    """
    return combined(values, axis, stacks=True)


def combined(values: Any, axis: Any, *, stacks: bool) -> Any:
    """Returns tensors along an existing dimension, or stacked along a new one."""
    given = [ragged_or_tensor(v) for v in values] if isinstance(values, list | tuple) else [ragged_or_tensor(values)]
    if not given:
        raise ValueError("There are no tensors to concatenate or stack.")
    ranks = {len(v.shape) for v in given}
    if len(ranks) > 1:
        raise ValueError(f"Ragged tensors of different ranks, {sorted(ranks)}, cannot be concatenated or stacked.")
    rank = ranks.pop()
    if len(given) == 1 and not stacks:
        return given[0]
    where = axis_of(axis, rank + stacks)
    if stacks and rank == 1 and where == 0:
        lengths = np.array([v.shape[0] for v in given], np.int32)  # as those of sizes in TensorFlow
        return RaggedTensor(_arrays.concat(given, 0), row_splits_.from_lengths(lengths))
    dense = not any(isinstance(v, RaggedTensor) for v in given)
    if dense and where in (rank + stacks - 1, rank - 1):
        return (_arrays.stack if stacks else _arrays.concat)(given, where)
    kind: np.dtype = np.dtype(np.int64)
    if not dense and all(v._splits.dtype == np.int32 for v in given if isinstance(v, RaggedTensor)):
        kind = np.dtype(np.int32)
    rows = [
        (v if v._splits.dtype == kind else v.with_row_splits_dtype(kind))
        if isinstance(v, RaggedTensor)
        else RaggedTensor.from_tensor(v, row_splits_dtype=kind)
        for v in given
    ]
    if where == 0:
        return _stacked_rows(rows, kind) if stacks else _one_after_another(rows)
    if where == 1:
        return _side_by_side(rows, stacks)
    if not all(row_splits_.same(row._splits, rows[0]._splits) for row in rows):
        raise InvalidArgumentError(f"Ragged tensors along dimension {where} have rows of the same lengths before it.")
    # Of values that no row has, all have as many, or none is looked at.
    alike = len({(row._spare, count(row._stored)) for row in rows}) == 1
    inner = [row._stored_values() if alike else row.values for row in rows]
    return rows[0].with_values(combined(inner, where - 1, stacks=stacks))


def _stacked_rows(rows: list[RaggedTensor], kind: np.dtype) -> RaggedTensor:
    lengths = np.array([row._nrows() for row in rows], kind)
    return RaggedTensor(_one_after_another(rows), row_splits_.from_lengths(lengths))


def _one_after_another(rows: list[RaggedTensor]) -> RaggedTensor:
    lengths = row_splits_.joined(*(row_splits_.lengths(row._splits) for row in rows))
    inner = [row.values for row in rows]
    dense = not any(isinstance(v, RaggedTensor) for v in inner)
    values = _arrays.concat(inner, 0) if dense else combined(inner, 0, stacks=False)
    uniform = {row._uniform for row in rows}
    return RaggedTensor(values, row_splits_.from_lengths(lengths), uniform.pop() if len(uniform) == 1 else None)


def _side_by_side(rows: list[RaggedTensor], stacks: bool) -> RaggedTensor:
    """The rows of one number of all tensors as one row, or as a stack."""
    count = rows[0]._nrows()
    if any(row._nrows() != count for row in rows):
        raise InvalidArgumentError(
            f"Ragged tensors side by side have one number of rows, got {[r._nrows() for r in rows]}."
        )
    order = np.arange(count * len(rows)).reshape(len(rows), count).T.ravel()
    mixed = _one_after_another(rows).taken(order)
    kind = mixed._splits.dtype
    if stacks:
        return RaggedTensor(mixed, row_splits_.uniform(len(rows), count, kind), len(rows))
    return RaggedTensor(mixed.values, np.asarray(mixed._splits)[:: len(rows)])


@rule(RaggedTensor, "expand_dims")
def expand_dims(input: RaggedTensor, axis: Any, name: str | None = None) -> RaggedTensor:
    """Returns the ragged tensor with a dimension of size 1 at `axis`."""
    where, kind = axis_of(axis, len(input.shape) + 1), input._splits.dtype
    if where == 0:
        return RaggedTensor(input, row_splits_.uniform(input._nrows(), 1, kind), input._nrows())
    if where == 1:
        return RaggedTensor(input, row_splits_.uniform(1, input._nrows(), kind), 1)
    inner = input.values
    if isinstance(inner, RaggedTensor) or where > 1:
        return input.with_values(_arrays.expand_dims(inner, where - 1))
    return input


@rule(RaggedTensor, "squeeze")
def squeeze(input: RaggedTensor, axis: Any = None, name: str | None = None) -> Any:
    """Returns the ragged tensor without these dimensions, all of size 1. Raises ValueError without them."""
    if axis is None:
        raise ValueError("tf.squeeze of a RaggedTensor takes the dimensions of size 1: give axis.")
    axes = sorted({axis_of(a, len(input.shape)) for a in np.ravel(np.array(static_axes(axis))).tolist()})
    found: Any = input
    for where in reversed(axes):
        found = _squeezed(found, where)
    return found


def _squeezed(values: Any, where: int) -> Any:
    if not isinstance(values, RaggedTensor):
        return _arrays.squeeze(values, where)
    if where == 0:
        return _single(values._nrows() == 1, where) and values[0]
    if where == 1:
        lengths = row_splits_.lengths(row_splits_.known(values._splits, _HINT))
        return _single(bool((lengths == 1).all()), where) and values.values
    return values.with_values(_squeezed(values.values, where - 1))


def _single(holds: bool, where: int) -> bool:
    if not holds:
        raise InvalidArgumentError(f"tf.squeeze: dimension {where} of the RaggedTensor is not 1.")
    return holds


@rule(RaggedTensor, "tile")
def tile(input: RaggedTensor, multiples: Any, name: str | None = None) -> RaggedTensor:
    """Returns the ragged tensor this many times along every dimension."""
    counts = static_shape(multiples)
    if len(counts) != len(input.shape):
        raise ValueError(f"tf.tile takes a number for each of {len(input.shape)} dimensions, got {list(counts)}.")
    found: RaggedTensor = _tiled(input, list(counts[1:]))
    return found.taken(np.tile(np.arange(found._nrows()), counts[0]))


def _tiled(values: Any, counts: list[int]) -> Any:
    """The values with each row repeated, and what is in the rows."""
    if not isinstance(values, RaggedTensor):
        return _arrays.tile(values, [1, *counts])
    inner = _tiled(values.values, counts[1:])
    splits, count = row_splits_.known(values._splits, _HINT), counts[0]
    places = [np.tile(np.arange(a, b), count) for a, b in itertools.pairwise(splits)]
    lengths = (row_splits_.lengths(splits) * count).astype(splits.dtype)
    uniform = None if values._uniform is None else values._uniform * count
    at = np.concatenate([np.zeros(0, np.int64), *places]).astype(np.int64)
    return RaggedTensor(taken(inner, at), row_splits_.from_lengths(lengths), uniform)


@rule(RaggedTensor, "reverse")
def reverse(tensor: RaggedTensor, axis: Any, name: str | None = None) -> RaggedTensor:
    """Returns the ragged tensor with the entries in reverse order along these dimensions."""
    found: Any = tensor
    for where in {axis_of(a, len(tensor.shape)) for a in static_shape(axis)}:
        found = _reversed(found, where)
    return found


def _reversed(values: Any, where: int) -> Any:
    if not isinstance(values, RaggedTensor):
        return _arrays.reverse(values, [where])
    if where == 0:
        return values[::-1]
    return values[:, ::-1] if where == 1 else values.with_values(_reversed(values.values, where - 1))


@rule(RaggedTensor, "size")
def size(input: RaggedTensor, out_type: DTypeLike = int32, name: str | None = None) -> Tensor:
    """Returns the number of values, a scalar."""
    return _arrays.size(input.flat_values, out_type)


@rule(RaggedTensor, "rank")
def rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    """Returns the number of dimensions, an int32 scalar."""
    return on_device(np.array(len(input.shape), as_dtype(int32).dtype))
