"""Entries by the number of their part, by the length of their row or by their place in a flat tensor."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._arrays import same_dtype
from stratagem._ops._convert import Tensor, allow_x64, folds_constants, is_traced, on_device, operands, tensor
from stratagem._ops._indexing import concrete
from stratagem._ops._moved_strings import moves_strings
from stratagem._ops._symbolic import accept_symbols


@exported("dynamic_partition")
@moves_strings("data")
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """Returns the entries of each of `num_partitions` parts, in order: tensors of shape (n, *data.shape[partitions.ndim:]).

    partitions: the number of each entry's part, of a shape with which that of `data` begins. Inside a trace it must be
    known: the shapes depend on it. Raises InvalidArgumentError for other shapes, and for numbers of no part.
    """
    array, numbers = tensor(data), concrete("tf.dynamic_partition", partitions)
    _check_begins("dynamic_partition", array, numbers, "partitions")
    wrong = numbers[(numbers < 0) | (numbers >= num_partitions)]
    if num_partitions < 1 or wrong.size:
        found = f"the part {wrong.flat[0]}" if wrong.size else "no parts"
        raise InvalidArgumentError(f"tf.dynamic_partition: {found} of {num_partitions}, which are counted from 0.")
    rows = array.reshape(numbers.size, *array.shape[numbers.ndim :])
    return [jnp.take(rows, np.flatnonzero(numbers.ravel() == part), axis=0) for part in range(num_partitions)]


@exported("dynamic_stitch")
@moves_strings("data")
def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """Returns a tensor whose row `indices[i][j]` is `data[i][j]`: the inverse of `dynamic_partition`.

    The last of several rows for one place counts, and a place that none is for has zeros. Inside a trace the indices must
    be known: the number of rows depends on them. Raises InvalidArgumentError for negative ones, and for data of shapes
    that do not begin with those of the indices or do not go on alike; ValueError for lists of different lengths.
    """
    if len(indices) != len(data):
        raise ValueError(
            f"tf.dynamic_stitch takes one tensor of data for each of indices, got {len(data)}, {len(indices)}."
        )
    if not len(indices):
        raise InvalidArgumentError("tf.dynamic_stitch takes one tensor or more, got none.")
    places = [concrete("tf.dynamic_stitch", i) for i in indices]
    arrays = same_dtype("dynamic_stitch", list(data))
    for where, array in zip(places, arrays, strict=True):
        _check_begins("dynamic_stitch", array, where, "indices")
    ends = {array.shape[where.ndim :] for where, array in zip(places, arrays, strict=True)}
    flat = np.concatenate([where.ravel() for where in places]).astype(np.int64)
    if len(ends) > 1 or (flat < 0).any():
        raise InvalidArgumentError(
            f"tf.dynamic_stitch takes rows of one shape and indices from 0, got {sorted(ends)} and {flat.tolist()}."
        )
    rows = jnp.concatenate([a.reshape(i.size, *a.shape[i.ndim :]) for i, a in zip(places, arrays, strict=True)])
    size = int(flat.max(initial=-1)) + 1
    sources = np.full(size, len(flat))
    sources[flat] = np.arange(len(flat))
    return _taken(size, rows, sources, flat)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _taken(size: int, rows: Tensor, sources: Tensor, places: Tensor) -> Tensor:
    """Returns `size` rows: those with the numbers `sources`, zeros beyond the last. places: where each row belongs."""
    return jnp.take(rows, sources, axis=0, mode="fill", fill_value=0)


@_taken.defjvp
def _taken_rule(size: int, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    # Its transpose is TensorFlow's gradient: every row has that of its place, also one that another has replaced there.
    change, places = tangents[0], primals[2]
    none = jnp.zeros((size, *change.shape[1:]), change.dtype)
    return _taken(size, *primals), none.at[places].add(change)


def _check_begins(name: str, array: Tensor, numbers: np.ndarray, what: str) -> None:
    if tuple(array.shape[: numbers.ndim]) != numbers.shape:
        raise InvalidArgumentError(
            f"tf.{name}: data of shape {list(array.shape)} does not begin with {list(numbers.shape)}, the shape of {what}."
        )


@exported("reverse_sequence", v1=())
@moves_strings("input")
@folds_constants
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the tensor with the first `seq_lengths[i]` entries along `seq_axis` reversed, for the slice i of `batch_axis`.

    Axes are counted from 0, `batch_axis` is 0 by default. Raises TypeError without `seq_axis`; InvalidArgumentError for axes
    that do not exist or are one, another number of lengths, and lengths that are negative or too long, where they are known.
    """
    if seq_axis is None:
        raise TypeError("tf.reverse_sequence: seq_axis, the axis of the entries that are reversed, is missing.")
    array, lengths, batch = tensor(input), tensor(seq_lengths), batch_axis or 0
    if not (0 <= seq_axis < array.ndim and 0 <= batch < array.ndim and seq_axis != batch):
        raise InvalidArgumentError(
            f"tf.reverse_sequence takes two different axes of a tensor of rank {array.ndim}, got {seq_axis} and {batch}."
        )
    count, size = array.shape[batch], array.shape[seq_axis]
    known = np.zeros(0) if is_traced(lengths) else np.asarray(lengths)
    if lengths.shape != (count,) or (known < 0).any() or (known > size).any():
        raise InvalidArgumentError(
            f"tf.reverse_sequence takes {count} lengths from 0 to {size}, got {lengths if known.size else lengths.shape}."
        )
    steps = on_device(np.arange(size, dtype=np.int32))
    ends = lengths.astype(np.int32)[:, None]
    order = jnp.where(steps < ends, ends - 1 - steps, steps)
    others = [axis for axis in range(array.ndim) if axis not in (batch, seq_axis)]
    places = jnp.expand_dims(order if batch < seq_axis else order.T, others)
    return jnp.take_along_axis(array, places, axis=seq_axis)


@exported("unravel_index")
@folds_constants
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Returns the coordinates of entries by their places in a flat tensor: (len(dims), len(indices)), or (len(dims),).

    dims: the tensor's shape. Both are int32 or int64, which the result is too. Raises InvalidArgumentError for other
    ranks, for dimensions without entries, and for places behind the end, where they are known. A negative place gives
    negative coordinates.
    """
    places, sizes = operands("unravel_index", indices, dims)
    if places.ndim > 1 or sizes.ndim != 1:
        raise InvalidArgumentError(
            f"tf.unravel_index takes a scalar or 1-D tensor and a shape, got {list(places.shape)} and {list(sizes.shape)}."
        )
    shape = [int(size) for size in concrete("tf.unravel_index", sizes)]
    total = math.prod(shape)
    if not total or (not is_traced(places) and (np.asarray(places) >= total).any()):
        raise InvalidArgumentError(
            f"tf.unravel_index: a tensor of shape {shape} does not have all of the places {places}."
        )
    with allow_x64(places.dtype):
        return jnp.stack([_coordinate(places, shape, axis) for axis in range(len(shape))])


def _coordinate(places: Tensor, shape: Sequence[int], axis: int) -> Tensor:
    """The coordinate in one dimension, rounded towards zero, as TensorFlow rounds."""
    below, inner = (jnp.full_like(places, math.prod(shape[first:])) for first in (axis, axis + 1))
    return jax.lax.div(jax.lax.rem(places, below), inner)


accept_symbols(globals())
