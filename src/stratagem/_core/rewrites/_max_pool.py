"""Max-pooling in windows that do not overlap, and what is computed from single elements before it.

XLA computes the gradient in a naive loop on CPUs. Here a byte for each window says which of its elements had the maximum. A
bias and a rectifier between a convolution and its pool are computed and differentiated at the maxima alone: the pool takes the
elements of the convolution from which the maxima are computed, and hands these on.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._core.rewrites._chains import Chain, Chains
from stratagem._core.rewrites._computed_once import computed_once
from stratagem._core.rewrites._inlined import inlined
from stratagem._core.rewrites._windows import Windows
from stratagem._private import is_literal


def is_disjoint_pool(eqn: Any) -> bool:
    """Returns whether an equation max-pools floats in windows that do not overlap, without padding or dilation."""
    if eqn.primitive.name != "reduce_window_max":
        return False
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


def with_pools_at_maxima(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns a program in which disjoint pools come before the chains of single elements that lead to them.

    The same object if there are none. Programs inside of it stay as they are.
    """
    pools = [i for i, eqn in enumerate(jaxpr.eqns) if is_disjoint_pool(eqn) and not is_literal(eqn.invars[0])]
    if not pools:
        return jaxpr
    chains = Chains(jaxpr)
    found = {i: chains.before(i, _pooled_axes(jaxpr.eqns[i])) for i in pools}
    moved = {id(eqn) for chain in found.values() for eqn in chain.equations}
    eqns: list[Any] = []
    for i, eqn in enumerate(jaxpr.eqns):
        if i in found:
            eqns.extend(_before_the_chain(eqn, found[i]))
        elif id(eqn) not in moved:
            eqns.append(eqn)
    return jaxpr.replace(eqns=eqns)


def _pooled_axes(eqn: Any) -> tuple[int, ...]:
    return tuple(axis for axis, size in enumerate(eqn.params["window_dimensions"]) if size > 1)


def _before_the_chain(eqn: Any, chain: Chain) -> Iterator[Any]:
    """Yields the equations of a pool that takes the elements at the maxima, and of its chain after it."""
    pool = _Pool(tuple(eqn.params["window_dimensions"]), chain)

    def pooled(image: jax.Array, *constants: jax.Array) -> jax.Array:
        return chain.of(chosen(pool, image, *constants), *constants)

    operands = [chain.image, *chain.constants]
    new = jax.make_jaxpr(pooled)(*(v.aval for v in operands))
    return inlined(new, operands, eqn.outvars)


@final
@dataclass(frozen=True)
class _Pool:
    """A pool of what a chain computes from an image, in disjoint windows of that size in every dimension."""

    window: tuple[int, ...]
    chain: Chain


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def chosen(pool: _Pool, image: jax.Array, *constants: jax.Array) -> jax.Array:
    """Returns for each window the element of the image from which the chain computes the maximum; its gradient is fast.

    Elements outside of full windows are ignored. constants: what the chain computes with.
    """
    return _choice(pool, image, *constants)[0]


def _choice(pool: _Pool, image: jax.Array, *constants: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns of each window the element with the maximum and its place."""
    once = (1,) * image.ndim
    cells = Windows(pool.window, pool.window, ((0, 0),) * image.ndim, once).elements(image)
    values = [pool.chain.of(cell, *constants) for cell in cells]
    return greatest(cells, values, jax.lax.full(cells[0].shape, 0, jnp.int8))


def greatest(cells: Sequence[jax.Array], values: Sequence[jax.Array], first: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns of each window the cell with the greatest value and its place: the first of equal ones, or one with NaN.

    Values are compared with each other, never with the maximum: XLA may compute what they come from twice, and round it in two
    ways, so that none of them would equal it.

    Args:
        cells: the elements of all windows at each place, in row-major order.
        values: what is compared, one for each cell.
        first: the place of the first cell, int8.
    """
    cell, top, winner = cells[0], values[0], first
    for place, (other, value) in enumerate(zip(cells[1:], values[1:], strict=True), start=1):
        greater = jax.lax.bitwise_or(jax.lax.gt(value, top), jax.lax.ne(value, value))
        winner = jax.lax.select(greater, jax.lax.full_like(winner, place), winner)
        cell, top = jax.lax.select(greater, other, cell), jax.lax.select(greater, value, top)
    return cell, winner


def _choice_with_places(pool: _Pool, image: jax.Array, *constants: jax.Array) -> Any:
    element, winner = computed_once(functools.partial(_choice, pool), image, *constants)
    return element, (winner, jnp.zeros((0, *image.shape), image.dtype))  # an empty array carries the shape


def gradient_of_chosen(pool: _Pool, saved: tuple[jax.Array, jax.Array], gradient: jax.Array) -> Any:
    """Returns the gradient of the image from that of the chosen elements; the constants have none."""
    (winner, like), window = saved, pool.window
    shape = like.shape[1:]
    # (n, h, w, c) → (n, 1, h, 1, w, 1, c, 1) against the places (1, 1, 1, wh, 1, ww, 1, 1): one fused comparison.
    spread = tuple(s for size in winner.shape for s in (size, 1))
    places = jnp.arange(np.prod(window), dtype=jnp.int8).reshape([s for w in window for s in (1, w)])
    cells = jnp.where(places == winner.reshape(spread), gradient.reshape(spread), jnp.zeros((), gradient.dtype))
    full = cells.reshape([size * w for size, w in zip(winner.shape, window, strict=True)])
    image = jnp.pad(full, [(0, size - have) for size, have in zip(shape, full.shape, strict=True)])
    return image, *[None] * len(pool.chain.constants)


chosen.defvjp(_choice_with_places, gradient_of_chosen)
