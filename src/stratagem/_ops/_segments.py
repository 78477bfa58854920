"""Sums, extremes and counts by segment or class number."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, allow_x64, is_traced, on_device, static_int, tensor
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops._indexing import concrete
from stratagem._ops._symbolic import accept_symbols


def _segments(kind: str, data: Any, ids: Any, count: Any) -> Tensor:
    number = static_int(count, "a tensor is the number of segments")
    places, values = tensor(ids), tensor(data)
    if places.shape != values.shape[: places.ndim]:
        raise InvalidArgumentError(
            f"Data of shape {list(values.shape)} does not begin with {list(places.shape)}, the shape of segment_ids."
        )
    values, places = values.reshape(places.size, *values.shape[places.ndim :]), places.ravel()
    # JAX counts negative positions from the end; TF drops those rows.
    places = jnp.where(places < 0, jnp.full_like(places, number), places)
    if kind == "prod":
        return _products(values, places, number)
    with allow_x64(values.dtype):
        found = getattr(jax.ops, f"segment_{kind}")(values, places, number, mode="drop")
        # What JAX makes of no rows is a constant; as in TF, a gradient flows from there, too.
        return found if values.size else found + jnp.sum(values).astype(found.dtype)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _products(values: Tensor, places: Tensor, number: int) -> Tensor:
    with allow_x64(values.dtype):
        return jax.ops.segment_prod(values, places, number, mode="drop")


@_products.defjvp
def _changes(number: int, primals: tuple[Tensor, Tensor], tangents: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """An entry's slope is the product of the others; JAX has no derivative for repeated places."""
    (values, places), whole = primals, _products(*primals, number)
    zero = values == 0
    with allow_x64(values.dtype):
        zeros = jax.ops.segment_sum(zero.astype(values.dtype), places, number, mode="drop")
        others = jnp.where(zeros == 1, _products(jnp.where(zero, 1, values), places, number), 0)
        at_zero, elsewhere = (jnp.take(part, places, axis=0, mode="fill", fill_value=0) for part in (others, whole))
        slopes = jnp.where(zero, at_zero, elsewhere / jnp.where(zero, 1, values))
        return whole, jax.ops.segment_sum(slopes * tangents[0], places, number, mode="drop")


def _fill_empty(result: Tensor, empty: Tensor, value: Any) -> Tensor:
    return jnp.where(empty.reshape(empty.shape + (1,) * (result.ndim - 1)), value, result)


def _limit(result: Tensor, end: str) -> Tensor:
    return on_device(np.asarray(getattr(as_dtype(result.dtype), end), result.dtype))


def _row_counts(ids: Any, count: Any) -> Tensor:
    """The number of rows in each segment."""
    return _segments("sum", jnp.ones(tensor(ids).shape, np.int32), ids, count)


@exported("math.unsorted_segment_sum", v1=["unsorted_segment_sum", "math.unsorted_segment_sum"])
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; rows with a negative id are ignored."""
    return _segments("sum", data, segment_ids, num_segments)


@exported("math.unsorted_segment_prod", v1=["unsorted_segment_prod", "math.unsorted_segment_prod"])
def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The product of the rows of each segment, 1 for an empty one."""
    return _segments("prod", data, segment_ids, num_segments)


@exported("math.unsorted_segment_max", v1=["unsorted_segment_max", "math.unsorted_segment_max"])
def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The element-wise maximum of the rows of each segment, the dtype's smallest finite value for an empty one."""
    ids, result = segment_ids, _segments("max", data, segment_ids, num_segments)
    return _fill_empty(result, _row_counts(ids, num_segments) == 0, _limit(result, "min"))


@exported("math.unsorted_segment_min", v1=["unsorted_segment_min", "math.unsorted_segment_min"])
def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The element-wise minimum of the rows of each segment, the dtype's largest finite value for an empty one."""
    ids, result = segment_ids, _segments("min", data, segment_ids, num_segments)
    return _fill_empty(result, _row_counts(ids, num_segments) == 0, _limit(result, "max"))


@exported("math.unsorted_segment_mean", v1=["unsorted_segment_mean", "math.unsorted_segment_mean"])
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment, 0 for an empty one."""
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    rows = jnp.maximum(_row_counts(segment_ids, num_segments), 1).astype(total.dtype)
    return total / rows.reshape(rows.shape + (1,) * (total.ndim - 1))


@exported("math.unsorted_segment_sqrt_n", v1=["unsorted_segment_sqrt_n", "math.unsorted_segment_sqrt_n"])
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment, divided by the root of their number; 0 for an empty one."""
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    if not jnp.issubdtype(total.dtype, np.inexact):
        raise InvalidArgumentError(f"tf.math.unsorted_segment_sqrt_n takes floating-point tensors, got {total.dtype}.")
    rows = jnp.sqrt(jnp.maximum(_row_counts(segment_ids, num_segments), 1).astype(total.dtype))
    return total / rows.reshape(rows.shape + (1,) * (total.ndim - rows.ndim))


def _sorted_count(ids: Any) -> int:
    ids_now = concrete("tf.math.segment_*", ids)
    return int(ids_now[-1]) + 1 if ids_now.size else 0


@exported("math.segment_sum", v1=["segment_sum", "math.segment_sum"])
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; ids must be sorted and known."""
    return unsorted_segment_sum(data, segment_ids, _sorted_count(segment_ids))


@exported("math.segment_mean", v1=["segment_mean", "math.segment_mean"])
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment, 0 for an empty one; ids must be sorted and known. Of integers, it is truncated."""
    count, array = _sorted_count(segment_ids), tensor(data)
    if jnp.issubdtype(array.dtype, np.inexact):
        return unsorted_segment_mean(array, segment_ids, count)
    total = unsorted_segment_sum(array, segment_ids, count)
    rows = jnp.maximum(_row_counts(segment_ids, count), 1).astype(total.dtype)
    return jax.lax.div(*jnp.broadcast_arrays(total, rows.reshape(rows.shape + (1,) * (total.ndim - 1))))


@exported("math.segment_prod", v1=["segment_prod", "math.segment_prod"])
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of the rows of each segment, 1 for an empty one; ids must be sorted and known."""
    return unsorted_segment_prod(data, segment_ids, _sorted_count(segment_ids))


@exported("math.segment_max", v1=["segment_max", "math.segment_max"])
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The element-wise maximum of the rows of each segment, 0 for an empty one; ids must be sorted and known."""
    count = _sorted_count(segment_ids)
    return _fill_empty(unsorted_segment_max(data, segment_ids, count), _row_counts(segment_ids, count) == 0, 0)


@exported("math.segment_min", v1=["segment_min", "math.segment_min"])
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The element-wise minimum of the rows of each segment, 0 for an empty one; ids must be sorted and known."""
    count = _sorted_count(segment_ids)
    return _fill_empty(unsorted_segment_min(data, segment_ids, count), _row_counts(segment_ids, count) == 0, 0)


@exported("math.confusion_matrix", v1=())
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """The number of times that class i (row) was predicted as class j (column). Inside a trace `num_classes` must be given.

    Raises InvalidArgumentError for known classes that are negative or not below `num_classes`; in a trace they count nothing.
    """
    truth, guess = tensor(labels).ravel(), tensor(predictions).ravel()
    if num_classes is None:
        both = concrete("tf.math.confusion_matrix", truth), concrete("tf.math.confusion_matrix", guess)
        num_classes = int(np.max(np.concatenate(both).astype(np.int64), initial=-1)) + 1
    for what, classes in (("labels", truth), ("predictions", guess)):
        if not is_traced(classes) and bool(((classes < 0) | (classes >= num_classes)).any()):
            raise InvalidArgumentError(
                f"tf.math.confusion_matrix: {what} are classes from 0 to {num_classes - 1}, got {classes.tolist()!s:.100}."
            )
    kind = as_dtype(dtype).dtype
    truth, guess = (jnp.where(classes < 0, num_classes, classes) for classes in (truth, guess))
    each = jnp.ones(truth.shape, kind) if weights is None else tensor(weights).ravel().astype(kind)
    return jnp.zeros((num_classes, num_classes), kind).at[truth, guess].add(each)


accept_symbols(globals())
