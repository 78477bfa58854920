"""Max-pools of volumes, whose gradients in TensorFlow go to every entry that equals the largest one of its window."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from stratagem._core.connected import connected
from stratagem._core.derivatives._reverse_only import reverse_only
from stratagem._kernels import Windows

_FEW = 16  # places of a window: so many slices are compared faster than XLA's loops do


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def volume_pool(x: jax.Array, windows: Windows) -> jax.Array:
    """Returns the maximum of each window of `x`, floats, padded with minus infinity; a NaN is the largest entry.

    Its forward derivative is that of one of equal entries, as in TensorFlow (gradients of images' pools go to the first one).
    """
    if math.prod(windows.size) <= _FEW or max(windows.dilation) > 1:
        return functools.reduce(_larger, windows.elements(x, -jnp.inf))
    lowest = np.asarray(-np.inf, x.dtype)
    return lax.reduce_window(x, lowest, lax.max, windows.size, windows.strides, windows.padding)


def _larger(first: jax.Array, second: jax.Array) -> jax.Array:
    return jnp.where((second > first) | (second != second), second, first)


def _forward(x: jax.Array, windows: Windows) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    y = volume_pool(x, windows)
    return y, (x, y)


@reverse_only
def _to_all_equal(windows: Windows, saved: tuple[jax.Array, jax.Array], gradient: jax.Array) -> tuple[jax.Array]:
    """Adds to every entry the gradients of the windows whose largest entry it equals."""
    x, y = saved
    if windows.are_disjoint():  # XLA compares in one loop, with no arrays whose elements are apart
        equal_to_own = x == windows.repeated(y, x.shape)
        own = jnp.where(equal_to_own, windows.repeated(gradient, x.shape), jnp.zeros((), x.dtype))
        return (connected(own, x, y),)
    equal = [cell == y for cell in windows.elements(x, -jnp.inf)]

    def of_equal(tangent: jax.Array) -> jax.Array:
        parts = [jnp.where(at, cell, 0) for at, cell in zip(equal, windows.elements(tangent), strict=True)]
        return functools.reduce(jnp.add, parts)

    (total,) = jax.linear_transpose(of_equal, x)(gradient)
    return (connected(total, x, y),)


volume_pool.defvjp(_forward, _to_all_equal)
