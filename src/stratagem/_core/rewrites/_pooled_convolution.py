"""Convolutions of few products for each result, computed in the loop of the pool that reads them.

The first convolution of a network reads few channels and writes many, so that moving its result costs more than computing it.
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
from stratagem._core.rewrites._windows import Windows

# Of a window of the pool, all results together: LLVM compiles each product, and keeps what it reads in registers.
_MOST_PRODUCTS = 200
_VECTOR = 8  # channels: loops over fewer, or over a rest of them, are no faster than a library


def is_for_pool(eqn: Any, window: Sequence[int]) -> bool:
    """Returns whether a loop over pooling windows of that size computes a convolution of theirs sooner than a library.

    Convolution, bias and pool together take 0.36 to 0.88 of the time of oneDNN and a loop for the pool (two cores, AVX-512, 14
    shapes; `benchmarks/convolutions.py`).
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
        and 0 < math.prod(w.shape[:-1]) * math.prod(window) <= _MOST_PRODUCTS
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
            padded: (batch, *places, channels in).
            w: (*window, channels in, channels out).
            pool: how many places its disjoint windows have, in every dimension.
            sizes: those of the pool's result.
        """
        strides, dilation, window = (1, *self.strides, 1), (1, *self.dilation, 1), (1, *w.shape[:-2], 1)
        # From the window at a place in one of the pool's windows to that at the same place in the next.
        steps = tuple(s * p for s, p in zip(strides, pool, strict=True))
        windows = Windows(window, steps, ((0, 0),) * padded.ndim, dilation)
        read = [
            (n - 1) * step + (k - 1) * d + 1
            for n, step, k, d in zip((*sizes[:-1], padded.shape[-1]), steps, window, dilation, strict=True)
        ]
        cells = []
        for place in itertools.product(*map(range, pool)):
            starts = [at * s for at, s in zip(place, strides, strict=True)]
            part = jax.lax.slice(padded, starts, [a + n for a, n in zip(starts, read, strict=True)])
            cells.append(_sum_of_products(windows.elements(part), w))
        return cells


def _sum_of_products(elements: Sequence[jax.Array], w: jax.Array) -> jax.Array:
    """Returns the sum of the windows' elements, each by its filters: one product after the other."""
    filters = w.reshape(-1, w.shape[-1])
    channels = [jax.lax.slice_in_dim(e, c, c + 1, axis=-1) for e in elements for c in range(e.shape[-1])]
    total = channels[0] * filters[0]
    for channel, row in zip(channels[1:], filters[1:], strict=True):
        total = total + channel * row
    return total
