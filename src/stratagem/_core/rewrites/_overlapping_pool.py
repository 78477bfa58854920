"""Max-pooling in overlapping or padded windows, whose gradient XLA computes in a naive loop on CPUs.

In ResNet-18 at 64 pixels the gradient of the one pool took an eighth of the step: XLA carries the index of every element
through the windows (`select_and_scatter`). Here a byte for each window says which of its places had the maximum.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.connected import connected
from stratagem._core.rewrites._max_pool import greatest, is_disjoint_pool
from stratagem._core.rewrites._windows import Windows

_MOST_PLACES = 16  # of a window: the gradient looks at all of them


def is_overlapping_pool(eqn: Any) -> bool:
    """Returns whether an equation max-pools floats in windows without dilation that the rule for disjoint ones is not for."""
    p, x = eqn.params, eqn.invars[0].aval
    size = tuple(p["window_dimensions"])
    return (
        not is_disjoint_pool(eqn)
        and all(low >= 0 and high >= 0 for low, high in p["padding"])
        and all(d == 1 for d in (*p["base_dilation"], *p["window_dilation"]))
        and all(w >= s for w, s in zip(size, p["window_strides"], strict=True))
        and 1 < math.prod(size) <= _MOST_PLACES
        and jnp.issubdtype(x.dtype, jnp.floating)
        and math.prod(eqn.outvars[0].aval.shape) > 0
    )


def overlapping_pool_of(eqn: Any) -> Callable[[jax.Array], jax.Array]:
    """Returns a function for it with a faster gradient."""
    p = eqn.params
    windows = Windows(
        tuple(p["window_dimensions"]),
        tuple(p["window_strides"]),
        tuple(map(tuple, p["padding"])),
        tuple(p["window_dilation"]),
    )
    return functools.partial(overlapping_pool, windows=windows)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def overlapping_pool(x: jax.Array, windows: Windows) -> jax.Array:
    """Returns the maximum over windows of `x`, padded with minus infinity; its gradient is faster than XLA's."""
    return functools.reduce(jnp.maximum, windows.elements(x, -jnp.inf))


@overlapping_pool.defjvp
def _tangent(windows: Windows, primals: tuple[jax.Array], tangents: tuple[Any]) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    top, winner = _maximum(x, windows)
    return top, connected(_at_places(windows, winner, tangent), x, top)


# Again in the gradient: what it needs of a loop's steps are the places, not a mask for each.
@functools.partial(jax.checkpoint, prevent_cse=False, static_argnums=0)
def _at_places(windows: Windows, winner: jax.Array, tangent: jax.Array) -> jax.Array:
    """Returns the tangent at the place of each window's maximum.

    Its transpose, the gradient, adds to every place the gradients of the windows that chose it.
    """
    zero = jnp.zeros((), tangent.dtype)
    chosen = [jnp.where(winner == place, cell, zero) for place, cell in enumerate(windows.elements(tangent))]
    return functools.reduce(jnp.add, chosen)


def _maximum(x: jax.Array, windows: Windows) -> tuple[jax.Array, jax.Array]:
    """Returns the maximum of every window, and which place of it had that."""
    cells = windows.elements(x, -jnp.inf)
    # Padding is never chosen, not even in a window of minus infinities.
    first = jnp.broadcast_to(_first_inside(x.shape, windows), cells[0].shape)
    return greatest(cells, cells, first)


def _first_inside(shape: tuple[int, ...], windows: Windows) -> np.ndarray:
    """Returns the first place of every window that is not padding; along an axis without padding there is one for all."""
    first: np.ndarray = np.zeros((1,) * len(shape), np.int8)
    for axis, (n, w, s, (low, high)) in enumerate(
        zip(shape, windows.size, windows.strides, windows.padding, strict=True)
    ):
        starts = np.arange((n + low + high - w) // s + 1) * s - low
        inside = np.maximum(-starts, 0) if low else np.zeros(1, int)
        along = (-1,) + (1,) * (len(shape) - axis - 1)
        first = first + (inside.reshape(along) * math.prod(windows.size[axis + 1 :])).astype(np.int8)
    return first
