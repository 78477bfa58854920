"""Fractional pooling: windows of random sizes whose mean is a fraction, after Graham 2014 (arXiv 1412.6071)."""

import functools
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.sampling import uniform


class FractionalPool(NamedTuple):
    """The pooled tensor, and where the windows of rows and columns begin, with the end of the last (int64)."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


@exported("nn.fractional_max_pool", v1=())
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """The largest entry of each window of (n, h, w, c); there are floor(h / ratio) windows of rows, and so on.

    pooling_ratio: one number, two, or four of which the outer ones are 1; at least 1. The sizes of windows are the whole
    numbers around size / windows: in random order, or for pseudo_random by a random start and equal steps. overlapping: a
    window includes the first entry of the next. seed: a sequence of its own, unless 0.
    Raises InvalidArgumentError for another rank or ratio.
    """
    array, ends = _prepared("fractional_max_pool", value, pooling_ratio, pseudo_random, seed)
    number = -np.inf if jnp.issubdtype(array.dtype, np.floating) else jnp.iinfo(array.dtype).min
    lowest = np.asarray(number, array.dtype)
    with allow_x64(array.dtype):
        for axis, bounds in zip((1, 2), ends, strict=True):
            parts = (jnp.where(inside, part, lowest) for part, inside in _parts(array, axis, bounds, overlapping))
            array = functools.reduce(jnp.maximum, parts)
    return FractionalPool(array, *map(_wide, ends))


@exported("nn.fractional_avg_pool", v1=())
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """The mean of each window, otherwise as `fractional_max_pool`. Integers are cut towards zero."""
    array, ends = _prepared("fractional_avg_pool", value, pooling_ratio, pseudo_random, seed)
    kind = array.dtype
    with allow_x64(kind):
        wide = (
            array if jnp.issubdtype(kind, np.floating) else array.astype(np.float64 if kind == np.int64 else np.float32)
        )
        for axis, bounds in zip((1, 2), ends, strict=True):
            pairs = list(_parts(wide, axis, bounds, overlapping))
            total = sum((jnp.where(inside, part, 0) for part, inside in pairs[1:]), pairs[0][0])
            wide = total / sum((inside.astype(wide.dtype) for _, inside in pairs[1:]), jnp.ones((), wide.dtype))
    return FractionalPool(wide.astype(kind), *map(_wide, ends))


def _wide(bounds: Tensor) -> Tensor:
    with allow_x64(np.int64):
        return bounds.astype(np.int64)


def _prepared(
    name: str, value: Any, ratio: Any, pseudo_random: bool, seed: int
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """The tensor, and the bounds of its windows of rows and columns."""
    array = tensor(value)
    given = [float(r) for r in np.ravel(np.asarray(ratio))]
    ratios = given * 2 if len(given) == 1 else given[1:-1] if len(given) == 4 and given[::3] == [1, 1] else given
    if (
        array.ndim != 4
        or len(ratios) != 2
        or min(ratios) < 1
        or any(n < r for n, r in zip(array.shape[1:], ratios, strict=False))
    ):
        raise InvalidArgumentError(
            f"tf.nn.{name} takes (n, h, w, c) and one ratio or one each for h and w, from 1 to their size; got the shape "
            f"{array.shape} and {ratio}."
        )
    draw = functools.partial(_bounds, pseudo_random=pseudo_random, seed=seed or None)
    return array, (draw(array.shape[1], ratios[0]), draw(array.shape[2], ratios[1]))


def _bounds(size: int, ratio: float, pseudo_random: bool, seed: int | None) -> Tensor:
    """The first places of the windows, and `size`; int32."""
    count = int(size / ratio)
    if pseudo_random:
        start = uniform([], maxval=1.0, seed=seed)
        places = jnp.floor(size / count * (np.arange(count) + start)) - jnp.floor(size / count * start)
        inner = places.astype(np.int32)
    else:
        small = size // count
        longer = jnp.argsort(uniform([count], seed=seed)) < size - small * count
        inner = jnp.concatenate([np.zeros(1, np.int32), jnp.cumsum(small + longer.astype(np.int32))[:-1]])
    return jnp.append(inner, np.int32(size)).astype(np.int32)


def _parts(array: Tensor, axis: int, bounds: Tensor, overlapping: bool) -> list[tuple[Tensor, Tensor]]:
    """The first entries of all windows along an axis, their second ones and so on, and which windows have such an entry."""
    size, count = array.shape[axis], bounds.shape[0] - 1
    longest = -(-size // count) + 1 + overlapping  # steps of a fraction may round up at one end and down at the other
    last = jnp.minimum(bounds[1:] + overlapping, size)
    shape = [-1 if i == axis else 1 for i in range(array.ndim)]
    found = []
    for entry in range(longest):
        places = bounds[:-1] + np.int32(entry)
        found.append((jnp.take(array, jnp.minimum(places, size - 1), axis), (places < last).reshape(shape)))
    return found


accept_symbols(globals())
