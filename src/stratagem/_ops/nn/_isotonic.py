"""Isotonic regression: the nearest monotone sequence, `tf.nn.isotonic_regression`."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, tensor
from stratagem._ops._symbolic import accept_symbols


class IsotonicRegression(NamedTuple):
    """The monotone sequences, and for each entry the number of its segment of equal values (int32)."""

    output: Tensor
    segments: Tensor


@exported("nn.isotonic_regression", v1=())
def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """The sequences nearest to the inputs (in the sum of squares) that never rise, or never fall, along `axis`.

    A segment is a part of the input that is replaced by its mean. Integers give float64, those of 8 and 16 bits float32. The
    gradient of a segment is the mean gradient of its entries.
    """
    array = tensor(inputs)
    if not jnp.issubdtype(array.dtype, np.floating):
        array = array.astype(np.float64 if array.dtype.itemsize > 2 else np.float32)
    moved = jnp.moveaxis(array, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    with allow_x64(array.dtype):
        segments = _segments(-rows if decreasing else rows) if rows.size else jnp.zeros(rows.shape, np.int32)
        output = jax.vmap(_means)(rows, segments) if rows.size else rows
        return IsotonicRegression(*(jnp.moveaxis(v.reshape(moved.shape), -1, axis) for v in (output, segments)))


def _means(row: Tensor, segments: Tensor) -> Tensor:
    total, count = (jax.ops.segment_sum(v, segments, row.shape[0]) for v in (row, jnp.ones_like(row)))
    return (total / jnp.maximum(count, 1))[segments]


class _Stack(NamedTuple):
    """The segments so far: sums and numbers of their entries, and how many segments there are."""

    sums: Tensor
    counts: Tensor
    size: Tensor


@jax.custom_jvp
def _segments(rows: Tensor) -> Tensor:
    """The segments of each row. They have no derivative, which spares the loops in them their reverse."""
    return jax.vmap(_segments_of_row)(rows)


@_segments.defjvp
def _segments_rule(primals: tuple[Tensor], _: tuple[Tensor]) -> Any:
    return _segments(*primals), np.zeros(primals[0].shape, jax.dtypes.float0)


def _segments_of_row(row: Tensor) -> Tensor:
    """The segments of the nearest sequence that never falls: pools adjacent violators (Best and Chakravarti 1990)."""
    length = row.shape[0]

    def violated(stack: _Stack) -> Tensor:
        last = jnp.maximum(stack.size - 1, 1)
        before = stack.sums[last - 1] / jnp.maximum(stack.counts[last - 1], 1)
        return (stack.size > 1) & (before > stack.sums[last] / jnp.maximum(stack.counts[last], 1))

    def merged(stack: _Stack) -> _Stack:
        last = stack.size - 1
        sums, counts = (v.at[last - 1].add(v[last]).at[last].set(0) for v in (stack.sums, stack.counts))
        return _Stack(sums, counts, last)

    def pushed(place: Tensor, stack: _Stack) -> _Stack:
        sums, counts = stack.sums.at[stack.size].set(row[place]), stack.counts.at[stack.size].set(1)
        return jax.lax.while_loop(violated, merged, _Stack(sums, counts, stack.size + 1))

    empty = _Stack(jnp.zeros_like(row), jnp.zeros_like(row), jnp.zeros((), np.int32))
    ends = jnp.cumsum(jax.lax.fori_loop(np.int32(0), np.int32(length), pushed, empty).counts)
    return jnp.searchsorted(ends, jnp.arange(length, dtype=row.dtype), side="right").astype(np.int32)


accept_symbols(globals())
