"""Max-pooling in windows that do not overlap, whose gradient XLA computes in a naive loop on CPUs."""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def is_disjoint_pool(eqn: Any) -> bool:
    """Returns whether an equation max-pools floats in windows that do not overlap, without padding or dilation."""
    p, x = eqn.params, eqn.invars[0].aval
    window = tuple(p["window_dimensions"])
    return (
        window == tuple(p["window_strides"])
        and all(low == high == 0 for low, high in p["padding"])
        and all(d == 1 for d in (*p["base_dilation"], *p["window_dilation"]))
        and 1 < np.prod(window) <= 16
        and jnp.issubdtype(x.dtype, jnp.floating)
        and all(size >= w for size, w in zip(x.shape, window, strict=True) if w > 1)
    )


def max_pool_of(eqn: Any) -> Callable[[jax.Array], jax.Array]:
    """Returns a function for it with a faster gradient."""
    return functools.partial(max_pool, window=tuple(eqn.params["window_dimensions"]))


def _cells(x: jax.Array, window: tuple[int, ...]) -> list[jax.Array]:
    """Returns, for every position in a window in row-major order, the value at that position in all windows."""
    ends = [size // w * w for size, w in zip(x.shape, window, strict=True)]
    places = itertools.product(*map(range, window))
    return [x[tuple(slice(i, e, w) for i, e, w in zip(at, ends, window, strict=True))] for at in places]


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def max_pool(x: jax.Array, window: tuple[int, ...]) -> jax.Array:
    """Returns the maximum over disjoint windows; elements outside of full windows are ignored.

    Its gradient is faster than XLA's.
    """
    return functools.reduce(jnp.maximum, _cells(x, window))


def _max_pool_forward(x: jax.Array, window: tuple[int, ...]) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    cells = _cells(x, window)
    winner = place_of_maximum(cells, jnp.zeros(cells[0].shape, jnp.int8))
    like = jnp.zeros((0, *x.shape), x.dtype)  # an empty array carries the shape
    return functools.reduce(jnp.maximum, cells), (winner, like)


def place_of_maximum(cells: Sequence[jax.Array], first: jax.Array) -> jax.Array:
    """Returns which of the cells of every window is the first maximum, as in TensorFlow and XLA.

    Elements are compared with each other, never with the maximum: XLA may compute what they come from twice, and round it in
    two ways, so that none of them would equal it. A maximum that is chosen by the comparison takes fewer instructions than
    `jnp.maximum`, which keeps NaN; the gradient of a window with NaN goes to an element of it.

    Args:
        cells: the elements of all windows at each place, in row-major order.
        first: the place of the first cell, int8.
    """
    top, *others = cells
    winner = first
    for place, cell in enumerate(others, start=1):
        greater = cell > top
        winner, top = jnp.where(greater, jnp.int8(place), winner), jnp.where(greater, cell, top)
    return winner


def _max_pool_backward(
    window: tuple[int, ...], saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array]:
    winner, like = saved
    shape = like.shape[1:]
    # (n, h, w, c) → (n, 1, h, 1, w, 1, c, 1) against the places (1, 1, 1, wh, 1, ww, 1, 1): one fused comparison.
    spread = tuple(s for size in winner.shape for s in (size, 1))
    places = jnp.arange(np.prod(window), dtype=jnp.int8).reshape([s for w in window for s in (1, w)])
    cells = jnp.where(places == winner.reshape(spread), gradient.reshape(spread), jnp.zeros((), gradient.dtype))
    full = cells.reshape([size * w for size, w in zip(winner.shape, window, strict=True)])
    return (jnp.pad(full, [(0, size - have) for size, have in zip(shape, full.shape, strict=True)]),)


max_pool.defvjp(_max_pool_forward, _max_pool_backward)
