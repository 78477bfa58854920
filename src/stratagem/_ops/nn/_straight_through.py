"""Straight-through derivatives: a rounded value has those of what it was made of, by given slopes."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp

from stratagem._ops._convert import Tensor


def straight_through(value: Tensor, sources: Sequence[Tensor], slopes: Sequence[Tensor]) -> Tensor:
    """Returns `value`, whose derivative by each of the sources is the slope at its place.

    The sources and slopes broadcast with the value; neither the value nor the slopes have derivatives.
    """
    fixed, *given = (jax.lax.stop_gradient(v) for v in (value, *slopes))
    return _with_slopes(fixed, tuple(sources), tuple(given))


@jax.custom_jvp
def _with_slopes(value: Tensor, sources: tuple[Tensor, ...], slopes: tuple[Tensor, ...]) -> Tensor:
    # A tape sees a gradient by what a result is computed from: the sources are part of a choice that always falls elsewhere.
    for source in sources:
        value = jax.lax.select(jnp.ones_like(value, bool), value, jnp.broadcast_to(source, value.shape))
    return value


@_with_slopes.defjvp
def _rule(
    primals: tuple[Tensor, tuple[Tensor, ...], tuple[Tensor, ...]],
    tangents: tuple[Tensor, tuple[Tensor, ...], tuple[Tensor, ...]],
) -> tuple[Tensor, Tensor]:
    slopes, changes = primals[2], tangents[1]
    total = jnp.zeros_like(primals[0])
    for slope, change in zip(slopes, changes, strict=True):
        total = total + slope * change
    return _with_slopes(*primals), total
