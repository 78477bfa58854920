"""Pools of overlapping or padded windows: maxima, whose gradient XLA computes in a naive loop on CPUs, and sums.

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
from stratagem._kernels import Windows, computed_once, sum_windows, take_places

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
    return functools.partial(overlapping_pool, windows=_windows(eqn))


def _windows(eqn: Any) -> Windows:
    p = eqn.params
    return Windows(
        tuple(p["window_dimensions"]),
        tuple(p["window_strides"]),
        tuple(map(tuple, p["padding"])),
        tuple(p["window_dilation"]),
    )


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def overlapping_pool(x: jax.Array, windows: Windows) -> jax.Array:
    """Returns the maximum over windows of `x`, padded with minus infinity; its gradient is faster than XLA's."""
    return functools.reduce(jnp.maximum, windows.elements(x, -jnp.inf))


@overlapping_pool.defjvp
def _tangent(windows: Windows, primals: tuple[jax.Array], tangents: tuple[Any]) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    # Once: in the loop of the gradient each element would find the places of all windows that it is in.
    winner = computed_once(lambda x: _places(x, windows), x)
    top = overlapping_pool(x, windows)
    return top, connected(take_places(tangent, winner, windows), x, top)


def _places(x: jax.Array, windows: Windows) -> jax.Array:
    """Returns which place of every window has its maximum, int8."""
    cells = windows.elements(x, -jnp.inf)
    # Padding is never chosen, not even in a window of minus infinities.
    first = jnp.broadcast_to(_first_inside(x.shape, windows), cells[0].shape)
    return greatest(cells, cells, first)[1]


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


def is_pool_of_sums(eqn: Any) -> bool:
    """Returns whether an equation sums float32 elements of windows over places, as an average pool does."""
    p, x = eqn.params, eqn.invars[0].aval
    size, strides = tuple(p["window_dimensions"]), tuple(p["window_strides"])
    return (
        x.dtype == jnp.float32
        and len(size) in (3, 4, 5)
        and size[0] == size[-1] == strides[0] == strides[-1] == 1
        and all(d == 1 for d in (*p["base_dilation"], *p["window_dilation"]))
        and all(0 <= low < w and 0 <= high < w for w, (low, high) in zip(size, p["padding"], strict=True))
        and 1 < math.prod(size) <= _MOST_PLACES
        and 0 not in (*x.shape, *eqn.outvars[0].aval.shape)
    )


def sums_of(eqn: Any) -> Callable[[jax.Array], jax.Array]:
    """Returns a function for it with a faster gradient."""
    return functools.partial(sum_windows, windows=_windows(eqn))
