"""Ragged tensors as dense ones, with padding where rows have ended, and as sparse ones; and dimensions made one."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.types import ShapeLike
from stratagem._core.values import CompositeTensor, TensorShape
from stratagem._ops._convert import StringTensor, Tensor, allow_x64, is_traced, on_device, tensor
from stratagem._ops._indexing import gather
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.sparse import SparseTensor


def taken(values: Any, places: Any) -> Any:
    """Returns the values at these places of the first dimension, of tensors, strings, NumPy arrays, and ragged tensors."""
    if isinstance(values, CompositeTensor):
        return values.taken(places)  # type: ignore[attr-defined]
    if isinstance(values, np.ndarray) and not is_traced(places):
        found = np.asarray(values)[np.asarray(places)]
        return found.view(StringTensor) if found.dtype == object else found
    return gather(values, places)


def padded(ragged: Any, default_value: Any, shape: ShapeLike | None) -> Tensor:
    """Returns a dense tensor of this shape, or of the bounding one, with `default_value` where rows have ended."""
    rank, sizes = len(ragged.shape), TensorShape(shape)
    if sizes.rank is not None and sizes.rank != rank:
        raise ValueError(f"to_tensor: the shape {sizes} is not one of {rank} dimensions, as the RaggedTensor has.")
    if default_value is None:
        default_value = b"" if ragged.dtype == object else np.zeros((), ragged.dtype)
    fill = tensor(default_value, None if ragged.dtype == object else ragged.dtype)
    if (fill.dtype == object) != (ragged.dtype == object):
        raise ValueError(f"to_tensor: the default {default_value!r} is not of the values' type, {ragged.dtype}.")
    return _padded(ragged, fill, [None] * rank if sizes.rank is None else list(sizes))


def _padded(ragged: Any, fill: Any, sizes: list[int | None]) -> Tensor:
    inner = ragged._stored_values()
    if isinstance(inner, CompositeTensor):
        inner = _padded(inner, fill, [None, *sizes[2:]])
    wrong = [(a, b) for a, b in zip(inner.shape[1:], sizes[2:], strict=True) if b is not None and a != b]
    if wrong:
        raise ValueError(f"to_tensor: values of shape {inner.shape} do not have the sizes {sizes[2:]}.")
    length = sizes[1] if sizes[1] is not None else ragged._uniform
    if length is None:
        length = row_splits_.longest(ragged._splits)
    places = _places(ragged._splits, length, len(inner), sizes[0])
    return taken(_with_row(inner, fill), places)


def _places(splits: Any, length: int, missing: int, nrows: int | None) -> Any:
    """The places of values in a matrix of `length` columns; `missing` where rows have ended. nrows: of the matrix."""
    xp: Any = jnp if is_traced(splits) else np
    splits = splits if is_traced(splits) else np.asarray(splits)
    with allow_x64(splits.dtype):
        places = splits[:-1, None] + xp.arange(length, dtype=splits.dtype)
        places = xp.where(places < splits[1:, None], places, xp.asarray(missing, splits.dtype))
        if nrows is not None:
            places = xp.pad(places[:nrows], ((0, max(nrows - len(places), 0)), (0, 0)), constant_values=missing)
    return places


def _with_row(values: Any, fill: Any) -> Any:
    """The values and one more, the fill."""
    if isinstance(values, np.ndarray):
        row = np.broadcast_to(np.asarray(fill), (1, *values.shape[1:]))
        return np.concatenate([np.asarray(values), row]).view(StringTensor)
    return jnp.concatenate([values, jnp.broadcast_to(fill, (1, *values.shape[1:]))])


def coordinates(splits: list[np.ndarray], nvals: int) -> list[np.ndarray]:
    """Returns for each flat value its row, and its place in the row of every ragged dimension."""
    found: list[np.ndarray] = []
    place = np.arange(nvals)
    for each in reversed(splits):
        found.insert(0, row_splits_.columns(each)[place])
        place = np.asarray(row_splits_.rowids(each, nvals))[place]
    return [place, *found]


def entries(ragged: Any) -> SparseTensor:
    """Returns a sparse tensor with an entry for each value."""
    splits, flat = ragged._known_splits("to_sparse"), ragged.flat_values
    nvals, inner = int(flat.shape[0]), tuple(flat.shape[1:])
    size = row_splits_.whole(inner)
    outer = [np.repeat(each, size) for each in coordinates(splits, nvals)]
    inside = [np.tile(each.ravel(), nvals) for each in np.indices(inner)] if inner else []
    indices = np.stack([*outer, *inside], axis=1).astype(np.int64)
    return SparseTensor(on_device(indices), flat.reshape((nvals * size,)), ragged.bounding_shape(out_type=np.int64))


def merged_dims(values: Any, first: int, last: int) -> Any:
    """Returns a tensor, or a ragged one, with the dimensions from `first` to `last` made one."""
    if first == last:
        return values
    if not isinstance(values, CompositeTensor):
        shape = values.shape
        return values.reshape((*shape[:first], row_splits_.whole(shape[first : last + 1]), *shape[last + 1 :]))
    inner: Any = values.values  # type: ignore[attr-defined]
    if first == 0:
        return merged_dims(inner, 0, last - 1)
    if first > 1:
        return values.with_values(merged_dims(inner, first - 1, last - 1))  # type: ignore[attr-defined]
    return merged_dims(_merged_rows(values, inner), 1, last - 1)


def _merged_rows(ragged: Any, inner: Any) -> Any:
    """The ragged tensor with dimensions 1 and 2 made one."""
    splits = ragged._splits
    if isinstance(inner, CompositeTensor):
        inner_splits: Any = inner._splits  # type: ignore[attr-defined]
        lengths = [ragged._uniform, inner._uniform]  # type: ignore[attr-defined]
        values, splits = inner.values, _at(inner_splits, splits)  # type: ignore[attr-defined]
    else:
        size = int(inner.shape[1])
        lengths, values, splits = [ragged._uniform, size], merged_dims(inner, 0, 1), splits * splits.dtype.type(size)
    return type(ragged)(values, splits, None if None in lengths else lengths[0] * lengths[1])


def _at(splits: Any, places: Any) -> Any:
    """The splits at these places."""
    if is_traced([splits, places]):
        return jnp.asarray(splits, splits.dtype)[places]
    return np.asarray(splits)[np.asarray(places)]
