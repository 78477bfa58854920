"""Convolutions of images of one channel, computed in the loop of the pool that reads them.

The first convolution of a network may read one channel and writes many, so that moving its result costs more than computing it.
In the loop of a pool in disjoint windows each result is computed where it is compared, and only the greatest go to memory.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._core.rewrites._convolution import is_channels_last

# Of a window of the pool, all results together: the loop keeps in registers what it reads. With 100 or more it was as fast by
# itself, but no step with it.
_MOST_PRODUCTS = 90
_VECTOR = 8  # channels: loops over fewer, or over a rest of them, are no faster than a library


def is_for_pool(eqn: Any, window: Sequence[int]) -> bool:
    """Returns whether a loop over pooling windows of that size computes a convolution of theirs sooner than a library.

    Convolution, bias and pool together take 0.35 to 0.54 of the time of oneDNN's call and a loop for the pool, where others use
    the caches between their calls (two cores, AVX-512, 7 shapes), with code for AVX2 0.6 to 0.8. With two channels it was 0.75
    and 2.2.
    """
    if eqn.primitive.name != "conv_general_dilated":
        return False
    (x, w), p, result = (v.aval for v in eqn.invars), eqn.params, eqn.outvars[0].aval
    return (
        x.dtype == w.dtype == result.dtype == jnp.float32
        and is_channels_last(p["dimension_numbers"], x.ndim)
        and p["batch_group_count"] == p["feature_group_count"] == 1
        and all(d == 1 for d in p["lhs_dilation"])
        and all(low >= 0 and high >= 0 for low, high in p["padding"])
        and window[0] == window[-1] == 1
        and w.shape[-2] == 1
        and math.prod(w.shape[:-2]) * math.prod(window) <= _MOST_PRODUCTS
        and 0 not in result.shape
        and w.shape[-1] % _VECTOR == 0
    )


@final
@dataclass(frozen=True)
class PooledConvolution:
    """A convolution for which `is_for_pool` holds.

    strides, dilation, padding: those of its windows, along the axes of places.
    """

    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, eqn: Any) -> "PooledConvolution":
        """Returns that of an equation."""
        p = eqn.params
        return cls(tuple(p["window_strides"]), tuple(p["rhs_dilation"]), tuple(map(tuple, p["padding"])))

    def padded(self, x: jax.Array) -> jax.Array:
        """Returns images with the padding around them."""
        around = ((0, 0), *self.padding, (0, 0))
        return jax.lax.pad(x, jnp.zeros((), x.dtype), [(low, high, 0) for low, high in around])

    def cells(self, padded: jax.Array, w: jax.Array, pool: Sequence[int], sizes: Sequence[int]) -> list[jax.Array]:
        """Returns for every place in the pool's windows the results at that place in all windows.

        Args:
            padded: (batch, *places, 1).
            w: (*window, 1, channels out).
            pool: how many places its disjoint windows have, in every dimension.
            sizes: those of the pool's result.
        """
        strides, dilation = (1, *self.strides), (1, *self.dilation)
        # From the window at a place in one of the pool's windows to that at the same place in the next.
        steps = [s * p for s, p in zip(strides, pool[:-1], strict=True)]
        reach = [(n - 1) * step + 1 for n, step in zip(sizes[:-1], steps, strict=True)]

        def elements(place: Sequence[int], at: Sequence[int]) -> jax.Array:
            # One slice of the images: slices of a slice, XLA computes one in the other, which takes twice as long.
            starts = [p * s + a * d for p, s, a, d in zip(place, strides, at, dilation, strict=True)]
            ends = [start + r for start, r in zip(starts, reach, strict=True)]
            return jax.lax.slice(padded, [*starts, 0], [*ends, 1], [*steps, 1])

        window = list(itertools.product((0,), *map(range, w.shape[:-2])))
        places = itertools.product(*map(range, pool[:-1]))
        return [_sum_of_products([elements(place, at) for at in window], w) for place in places]


def _sum_of_products(elements: Sequence[jax.Array], w: jax.Array) -> jax.Array:
    """Returns the sum of the elements at each place in windows, by the filters' row for it: one product after the other."""
    filters = w.reshape(-1, *(1,) * (elements[0].ndim - 1), w.shape[-1])
    total = elements[0] * filters[0]
    for element, row in zip(elements[1:], filters[1:], strict=True):
        total = total + element * row
    return total
