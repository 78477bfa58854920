"""Max-pooling in windows that overlap or are padded, whose gradient XLA computes in a naive loop on CPUs.

In ResNet-18 at 64 pixels the gradient of the one pool took an eighth of the step: XLA carries the index of every element
through the windows (`select_and_scatter`). Here a byte for each window says which of its places had the maximum.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.rewrites._max_pool import is_disjoint_pool

_MOST_PLACES = 16  # of a window: the gradient looks at all of them


@dataclass(frozen=True)
class Windows:
    """The windows of a pool, for every dimension of its operand: their size, distance, and the padding around the operand."""

    size: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]

    def places(self) -> list[tuple[int, ...]]:
        """Returns the places in a window, in row-major order."""
        return list(itertools.product(*map(range, self.size)))

    def padded(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape of the padded operand."""
        return tuple(n + low + high for n, (low, high) in zip(shape, self.padding, strict=True))


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
    windows = Windows(tuple(p["window_dimensions"]), tuple(p["window_strides"]), tuple(map(tuple, p["padding"])))
    return functools.partial(overlapping_pool, windows=windows)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def overlapping_pool(x: jax.Array, windows: Windows) -> jax.Array:
    """Returns the maximum over windows of `x`, padded with minus infinity; its gradient is faster than XLA's."""
    return functools.reduce(jnp.maximum, _cells(x, windows, -jnp.inf))


def _cells(x: jax.Array, windows: Windows, around: float) -> list[jax.Array]:
    """Returns, for every place in a window in row-major order, the value at that place in all windows."""
    x = jax.lax.pad(x, jnp.array(around, x.dtype), [(low, high, 0) for low, high in windows.padding])
    counts = [(n - w) // s + 1 for n, w, s in zip(x.shape, windows.size, windows.strides, strict=True)]
    return [
        x[tuple(slice(at, at + (n - 1) * s + 1, s) for at, n, s in zip(place, counts, windows.strides, strict=True))]
        for place in windows.places()
    ]


def _pool_forward(x: jax.Array, windows: Windows) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    top = functools.reduce(jnp.maximum, _cells(x, windows, -jnp.inf))
    cells = _cells(x, windows, jnp.nan)  # so padding equals no maximum, not even that of a window of minus infinities
    winner = jnp.full(top.shape, len(cells) - 1, jnp.int8)
    for place in reversed(range(len(cells) - 1)):  # the first maximum wins, as in TensorFlow and XLA
        winner = jnp.where(cells[place] == top, jnp.int8(place), winner)
    return top, (winner, jnp.zeros((0, *x.shape), x.dtype))  # an empty array carries the shape


def _pool_backward(windows: Windows, saved: tuple[jax.Array, jax.Array], gradient: jax.Array) -> tuple[jax.Array]:
    """Returns the gradient of the operand.

    Elements of it that are a stride apart lie at the same places of the windows around them: each such phase is a sum of
    shifted gradients, and the phases are interleaved.
    """
    winner, like = saved
    shape = like.shape[1:]
    rows = [-(-n // s) for n, s in zip(windows.padded(shape), windows.strides, strict=True)]
    phases = [_phase(windows, winner, gradient, at, rows) for at in itertools.product(*map(range, windows.strides))]
    full = _interleaved(phases, windows.strides, rows)
    return (jax.lax.slice(full, *_inside(windows, shape)),)


def _inside(windows: Windows, shape: Sequence[int]) -> tuple[list[int], list[int]]:
    """Returns where in the padded operand the operand begins and ends."""
    before = [low for low, _ in windows.padding]
    return before, [b + n for b, n in zip(before, shape, strict=True)]


def _phase(
    windows: Windows, winner: jax.Array, gradient: jax.Array, at: Sequence[int], rows: Sequence[int]
) -> jax.Array:
    """Returns the gradient of the elements at `at`, at + strides, ...: `rows` of them in every dimension."""
    zero = jnp.zeros((), gradient.dtype)
    total = jnp.zeros(rows, gradient.dtype)
    for number, place in enumerate(windows.places()):
        steps = [divmod(p - a, s) for p, a, s in zip(place, at, windows.strides, strict=True)]
        if any(remainder or by < 0 for by, remainder in steps):
            continue
        given = jnp.where(winner == number, gradient, zero)
        moved = [(by, n - by - had, 0) for (by, _), n, had in zip(steps, rows, winner.shape, strict=True)]
        total = total + jax.lax.pad(given, zero, moved)
    return total


def _interleaved(phases: Sequence[jax.Array], strides: Sequence[int], rows: Sequence[int]) -> jax.Array:
    """Returns one array of the phases in row-major order: element (i, j, ...) of phase p is at (i, j, ...) x strides + p."""
    rank = len(strides)
    apart = jnp.stack(phases).reshape(*strides, *rows)
    order = [axis for n in range(rank) for axis in (rank + n, n)]
    return apart.transpose(order).reshape([n * s for n, s in zip(rows, strides, strict=True)])


overlapping_pool.defvjp(_pool_forward, _pool_backward)
