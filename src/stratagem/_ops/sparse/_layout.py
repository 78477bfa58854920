"""The layout of sparse tensors: their order, shapes, parts, and sparse tensors side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.step import host_function_if_needed
from stratagem._core.values import IndexedSlices
from stratagem._ops._arrays import concat as tensors_concat
from stratagem._ops._convert import Tensor, inferred_shape, on_device, static_int, static_shape, tensor
from stratagem._ops._creation import ones
from stratagem._ops._dtypes import float32
from stratagem._ops._indexing import concrete, gather
from stratagem._ops.sparse._dense import checked
from stratagem._ops.sparse._sparse_tensor import SparseTensor


def sparse_of(indices: np.ndarray, values: Any, shape: Sequence[int]) -> SparseTensor:
    """Returns a sparse tensor of these known indices and sizes."""
    return SparseTensor(
        on_device(np.asarray(indices, np.int64).reshape(len(indices), len(shape))),
        values,
        on_device(np.array(shape, np.int64)),
    )


def flat_places(indices: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Returns the place of each entry in the dense tensor's row-major order."""
    strides = np.cumprod([1, *shape[:0:-1]], dtype=np.int64)[::-1]
    return indices @ strides if len(shape) else np.zeros(len(indices), np.int64)


def axis_in(name: str, axis: Any, rank: int) -> int:
    """Returns a dimension counted from 0. Raises InvalidArgumentError for one that does not exist."""
    found = static_int(axis, "a tensor is an axis")
    if not -rank <= found < rank:
        raise InvalidArgumentError(f"tf.sparse.{name}: a sparse tensor of rank {rank} has no dimension {found}.")
    return found % rank


@exported("sparse.reorder", v1=["sparse_reorder", "sparse.reorder"])
@host_function_if_needed
def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Returns the entries in row-major order."""
    sparse = checked("reorder", sp_input)
    indices = sparse.known_indices("tf.sparse.reorder")
    order = np.lexsort(indices.T[::-1]) if indices.shape[1] else np.arange(len(indices))
    return SparseTensor(on_device(indices[order]), gather(sparse.values, order), sparse.dense_shape)


@exported("sparse.transpose", v1=["sparse_transpose", "sparse.transpose"])
@host_function_if_needed
def transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Returns the tensor with permuted dimensions, reversed ones without `perm`, in row-major order."""
    sparse = checked("transpose", sp_input)
    rank = len(sparse.shape)
    order = list(range(rank))[::-1] if perm is None else list(static_shape(perm))
    indices, shape = sparse.known_indices("tf.sparse.transpose"), sparse.known_shape("tf.sparse.transpose")
    if sorted(order) != list(range(rank)):
        raise InvalidArgumentError(f"tf.sparse.transpose: {order} is no order of {rank} dimensions.")
    return reorder(sparse_of(indices[:, order], sparse.values, [shape[i] for i in order]))


@exported("sparse.reshape", v1=["sparse_reshape", "sparse.reshape"])
@host_function_if_needed
def reshape(sp_input: SparseTensor, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """Returns the same entries in another shape; one size may be -1. Raises InvalidArgumentError for other sizes."""
    sparse = checked("reshape", sp_input)
    old = sparse.known_shape("tf.sparse.reshape")
    new = inferred_shape(old, shape)
    if np.prod(new, dtype=int) != np.prod(old, dtype=int):
        raise InvalidArgumentError(f"A sparse tensor of shape {list(old)} has no shape {list(static_shape(shape))}.")
    flat = flat_places(sparse.known_indices("tf.sparse.reshape"), old)
    return sparse_of(np.stack(np.unravel_index(flat, new), axis=1) if len(flat) else flat, sparse.values, new)


@exported("sparse.expand_dims")
@host_function_if_needed
def expand_dims(sp_input: SparseTensor, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Returns the tensor with a dimension of size 1 at `axis`, by default the last."""
    sparse = checked("expand_dims", sp_input)
    where = axis_in("expand_dims", -1 if axis is None else axis, len(sparse.shape) + 1)
    shape = list(sparse.known_shape("tf.sparse.expand_dims"))
    indices = np.insert(sparse.known_indices("tf.sparse.expand_dims"), where, 0, axis=1)
    return sparse_of(indices, sparse.values, [*shape[:where], 1, *shape[where:]])


@exported("sparse.reset_shape", v1=["sparse_reset_shape", "sparse.reset_shape"])
@host_function_if_needed
def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> SparseTensor:
    """Returns the same entries in a larger shape of the same rank, or in the smallest; ValueError for other shapes."""
    sparse = checked("reset_shape", sp_input)
    indices, old = sparse.known_indices("tf.sparse.reset_shape"), sparse.known_shape("tf.sparse.reset_shape")
    if new_shape is None:
        return sparse_of(indices, sparse.values, (indices.max(axis=0, initial=-1) + 1).tolist())
    new = static_shape(new_shape)
    if len(new) != len(old) or any(a < b for a, b in zip(new, old, strict=True)):
        raise ValueError(f"tf.sparse.reset_shape makes a shape larger in its rank, got {list(new)} for {list(old)}.")
    return sparse_of(indices, sparse.values, new)


@exported("sparse.retain", v1=["sparse_retain", "sparse.retain"])
@host_function_if_needed
def retain(sp_input: SparseTensor, to_retain: Any) -> SparseTensor:
    """Returns the entries for which `to_retain` is True. Raises ValueError for another number of them."""
    sparse = checked("retain", sp_input)
    indices, kept = sparse.known_indices("tf.sparse.retain"), concrete("tf.sparse.retain", to_retain)
    if kept.shape != (len(indices),):
        raise ValueError(f"tf.sparse.retain takes a bool for each of {len(indices)} entries, got {list(kept.shape)}.")
    return chosen(sparse, kept.astype(bool), indices, sparse.dense_shape)


def chosen(sparse: SparseTensor, kept: np.ndarray, indices: np.ndarray, shape: Any) -> SparseTensor:
    """Returns the entries for which `kept` is True, with these indices of all."""
    return SparseTensor(on_device(indices[kept]), gather(sparse.values, np.flatnonzero(kept)), shape)


@exported("sparse.slice", v1=["sparse_slice", "sparse.slice"])
@host_function_if_needed
def slice(sp_input: SparseTensor, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Returns the block from `start` on, of this size or up to the end. Raises InvalidArgumentError for other ranks."""
    sparse = checked("slice", sp_input)
    shape, begin, sizes = sparse.known_shape("tf.sparse.slice"), static_shape(start), static_shape(size)
    if not len(begin) == len(sizes) == len(shape):
        raise InvalidArgumentError(f"tf.sparse.slice takes {len(shape)} starts and sizes, got {begin} and {sizes}.")
    new = [max(min(n, d - b), 0) for b, n, d in zip(begin, sizes, shape, strict=True)]
    moved = sparse.known_indices("tf.sparse.slice") - np.array(begin, np.int64)
    inside = np.asarray(((moved >= 0) & (moved < np.array(new, np.int64))).all(axis=1))
    return chosen(sparse, inside, moved, on_device(np.array(new, np.int64)))


@exported("sparse.split", v1=())
@host_function_if_needed
def split(sp_input: SparseTensor, num_split: Any, axis: Any, name: str | None = None) -> list[SparseTensor]:
    """Returns this many parts along a dimension; the first ones are larger by one if its size is not divisible."""
    sparse = checked("split", sp_input)
    shape, count = (
        list(sparse.known_shape("tf.sparse.split")),
        static_int(num_split, "a tensor is the number of splits"),
    )
    where = axis_in("split", axis, len(shape))
    if not 0 < count <= shape[where]:
        raise InvalidArgumentError(
            f"tf.sparse.split makes 1 to {shape[where]} parts of dimension {where}, got {count}."
        )
    sizes = [shape[where] // count + (i < shape[where] % count) for i in range(count)]
    starts = [sum(sizes[:i]) for i in range(count)]
    before, after = [0] * where, [0] * (len(shape) - where - 1)
    return [
        slice(sparse, [*before, begin, *after], [*shape[:where], size, *shape[where + 1 :]])
        for begin, size in zip(starts, sizes, strict=True)
    ]


@exported("sparse.concat", v1=())
@host_function_if_needed
def concat(
    axis: Any, sp_inputs: Sequence[SparseTensor], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Returns sparse tensors one after the other along a dimension, in row-major order.

    expand_nonconcat_dims: whether other sizes may differ; the largest counts. Raises InvalidArgumentError otherwise.
    """
    given = [checked("concat", each) for each in sp_inputs]
    shapes = [list(each.known_shape("tf.sparse.concat")) for each in given]
    where = axis_in("concat", axis, len(shapes[0]))
    others = {tuple(s[:where] + s[where + 1 :]) for s in shapes}
    if len({len(s) for s in shapes}) > 1 or (len(others) > 1 and not expand_nonconcat_dims):
        raise InvalidArgumentError(
            f"tf.sparse.concat along dimension {where} takes tensors of one shape, got {shapes}."
        )
    shape = np.max(shapes, axis=0).tolist()
    shape[where] = sum(s[where] for s in shapes)
    indices, start = [], 0
    for each, own in zip(given, shapes, strict=True):
        offset = np.zeros(len(own), np.int64)
        offset[where] = start
        indices.append(each.known_indices("tf.sparse.concat") + offset)
        start += own[where]
    return reorder(sparse_of(np.concatenate(indices), tensors_concat([each.values for each in given], 0), shape))


@exported("sparse.fill_empty_rows", v1=["sparse_fill_empty_rows", "sparse.fill_empty_rows"])
@host_function_if_needed
def fill_empty_rows(sp_input: SparseTensor, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """Returns the tensor with an entry at the beginning of each row that has none, and which rows these are: bool, (rows,)."""
    sparse = checked("fill_empty_rows", sp_input)
    indices, shape = sparse.known_indices("tf.sparse.fill_empty_rows"), sparse.known_shape("tf.sparse.fill_empty_rows")
    empty = np.bincount(indices[:, 0], minlength=shape[0])[: shape[0]] == 0
    added = np.zeros((int(empty.sum()), len(shape)), np.int64)
    added[:, 0] = np.flatnonzero(empty)
    both = np.concatenate([indices, added])
    order = np.argsort(both[:, 0], kind="stable")
    fill = tensor(default_value, None if sparse.dtype == object else sparse.dtype)
    values = tensors_concat([sparse.values, gather(fill.reshape((1,)), np.zeros(len(added), np.int64))], 0)
    filled = SparseTensor(on_device(both[order]), gather(values, order), sparse.dense_shape)
    return filled, on_device(empty)


@exported("sparse.eye")
def eye(num_rows: Any, num_columns: Any = None, dtype: DTypeLike = float32, name: str | None = None) -> SparseTensor:
    """Returns a sparse identity matrix."""
    rows = static_int(num_rows, "a tensor is part of a shape")
    columns = rows if num_columns is None else static_int(num_columns, "a tensor is part of a shape")
    places = np.arange(min(rows, columns))
    return sparse_of(np.stack([places, places], axis=1), ones((len(places),), dtype), (rows, columns))


@exported("sparse.mask", v1=["sparse_mask", "sparse.mask"])
def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Returns the rows but those with these indices."""
    indices = concrete("tf.sparse.mask", a.indices)
    kept = np.flatnonzero(~np.isin(indices, concrete("tf.sparse.mask", mask_indices)))
    return IndexedSlices(gather(a.values, kept), on_device(indices[kept]), a.dense_shape)
