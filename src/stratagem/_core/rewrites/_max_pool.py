"""Max-pooling in windows that do not overlap, and what is computed from single elements before it.

XLA computes the gradient in a naive loop on CPUs. Here a number for each window says which of its elements had the maximum. A
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

from stratagem._core.connected import connected
from stratagem._core.rewrites._chains import Chain, Chains
from stratagem._core.rewrites._inlined import inlined
from stratagem._core.rewrites._packed import packed, unpacked_numbers, unpacked_values
from stratagem._core.rewrites._pooled_convolution import PooledConvolution, is_for_pool
from stratagem._kernels import Windows, computed_once
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
            eqns.extend(_before_the_chain(eqn, found[i], chains.maker(found[i].image, i)))
        elif id(eqn) not in moved:
            eqns.append(eqn)
    return jaxpr.replace(eqns=eqns)


def _pooled_axes(eqn: Any) -> tuple[int, ...]:
    return tuple(axis for axis, size in enumerate(eqn.params["window_dimensions"]) if size > 1)


def _before_the_chain(eqn: Any, chain: Chain, maker: Any) -> Iterator[Any]:
    """Yields the equations of a pool that takes the elements at the maxima, and of its chain after it.

    maker: the equation of the chain's image, if nothing else reads that.
    """
    window = tuple(eqn.params["window_dimensions"])
    convolution = PooledConvolution.of(maker) if maker is not None and is_for_pool(maker, window) else None
    pool = _Pool(window, chain, convolution)
    sources = [] if convolution is None else maker.invars

    def pooled(image: jax.Array, *operands: jax.Array) -> jax.Array:
        return chain.of(chosen(pool, image, *operands)[0], *operands[len(sources) :])

    operands = [chain.image, *sources, *chain.constants]
    new = jax.make_jaxpr(pooled)(*(v.aval for v in operands))
    return inlined(new, operands, eqn.outvars)


@final
@dataclass(frozen=True)
class _Pool:
    """A pool of what a chain computes from an image, in disjoint windows of that size in every dimension.

    convolution: that of the image, to be computed where its results are compared; None for an image in memory.
    """

    window: tuple[int, ...]
    chain: Chain
    convolution: PooledConvolution | None

    @property
    def _windows(self) -> Windows:
        rank = len(self.window)
        return Windows(self.window, self.window, ((0, 0),) * rank, (1,) * rank)

    def first(self, image: jax.Array) -> jax.Array:
        """Returns the first element of each window."""
        ends = [n // size * size for n, size in zip(image.shape, self.window, strict=True)]
        return jax.lax.slice(image, (0,) * image.ndim, ends, self.window)

    def operands(self, image: jax.Array, *others: jax.Array) -> tuple[jax.Array, ...]:
        """Returns what `choice` reads: the image, or what its convolution reads; what the chain computes with."""
        if self.convolution is None:
            return image, *others
        x, *rest = others
        return self.convolution.padded(x), *rest

    def choice(self, shape: tuple[int, ...], *operands: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns of each window the element with the maximum and its place, int8.

        shape: that of the image.
        """
        if self.convolution is None:
            image, *constants = operands
            cells = self._windows.elements(image)
        else:
            x, w, *constants = operands
            sizes = [n // size for n, size in zip(shape, self.window, strict=True)]
            cells = self.convolution.cells(x, w, self.window, sizes)
        values = [self.chain.of(cell, *constants) for cell in cells]
        return greatest(cells, values, jax.lax.full(cells[0].shape, 0, jnp.int8))


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def chosen(pool: _Pool, image: jax.Array, *others: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns for each window the element of the image from which the chain computes the maximum, and its place, int8.

    Elements outside of full windows are ignored. The derivative is that in the image.

    others: the operands of the image's convolution, if the pool has that; what the chain computes with.
    """
    choice = computed_once(lambda *read: packed(*pool.choice(image.shape, *read)), *pool.operands(image, *others))
    element, winner = unpacked_values(choice, image.dtype), unpacked_numbers(choice)
    # A choice that is always the same: tapes follow floats, and the element comes from a word. XLA drops it, and with it the
    # image's convolution if the pool computes that.
    return jax.lax.select(jnp.ones(element.shape, bool), element, pool.first(image)), winner


@chosen.defjvp
def _tangent(pool: _Pool, primals: Any, tangents: Any) -> Any:
    element, winner = chosen(pool, *primals)
    of_element = connected(_at_places(pool.window, winner, tangents[0]), primals[0], element)
    return (element, winner), (of_element, np.zeros(winner.shape, jax.dtypes.float0))


# Again in the gradient: what it needs of a loop's steps are the places, not a mask of the size of the image.
@functools.partial(jax.checkpoint, prevent_cse=False, static_argnums=0)
def _at_places(window: tuple[int, ...], winner: jax.Array, tangent: jax.Array) -> jax.Array:
    """Returns of each window the tangent at the place of its maximum.

    Its transpose, the gradient, compares each place with the chosen one in one loop.
    """
    full = jax.lax.slice(tangent, (0,) * tangent.ndim, [n * w for n, w in zip(winner.shape, window, strict=True)])
    # (n, h, w, c) → (n, 1, h, wh, w, ww, c, 1) against the places (1, 1, 1, wh, 1, ww, 1, 1).
    cells = full.reshape([size for pair in zip(winner.shape, window, strict=True) for size in pair])
    places = jnp.arange(np.prod(window), dtype=winner.dtype).reshape([s for w in window for s in (1, w)])
    at_place = places == winner.reshape([s for size in winner.shape for s in (size, 1)])
    return jnp.sum(jnp.where(at_place, cells, jnp.zeros((), cells.dtype)), tuple(range(1, cells.ndim, 2)))


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
