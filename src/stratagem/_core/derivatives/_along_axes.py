"""Derivatives of functions along axes, where TensorFlow's differ from JAX's."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Function = Callable[..., Any]


def reduce_extreme_rule(bind: Function, params: dict[str, Any]) -> Function:
    """Returns `reduce_max` or `reduce_min`: equal shares for all that are equal to it, NaN where it is NaN."""
    axes = params["axes"]

    @jax.custom_jvp
    def extreme(x: jax.Array) -> jax.Array:
        return bind(x)

    @extreme.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        y = extreme(x)
        chosen = _equal(x, jnp.expand_dims(y, axes)).astype(x.dtype)
        count = jnp.sum(chosen, axes, keepdims=True)
        share = jnp.where(count == 0, jnp.nan, chosen / count)  # XLA makes 0 of a mask divided by 0
        return y, jnp.sum(dx * share, axes)

    return extreme


def _equal(x: jax.Array, y: jax.Array) -> jax.Array:
    """Returns where values are the extreme among them, but for the last bits.

    XLA may compute `x` a second time for this comparison, with different rounding. Then nothing would be equal.
    """
    limits = jnp.finfo(x.dtype)
    near = jnp.where(jnp.isfinite(y), 8 * limits.eps * jnp.abs(y) + limits.tiny, 0)
    return (x == y) | (jnp.abs(x - y) <= near)


def cumprod_rule(bind: Function, params: dict[str, Any]) -> Function:
    """Returns `cumprod` with TensorFlow's derivative, which divides by each factor and is 0 for a factor 0."""
    axis, reverse = params["axis"], params["reverse"]

    @jax.custom_jvp
    def cumulative(x: jax.Array) -> jax.Array:
        return bind(x)

    @cumulative.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        y = cumulative(x)
        relative = jnp.where(x == 0, 0, dx / jnp.where(x == 0, 1, x))
        return y, y * lax.cumsum(relative, axis, reverse)

    return cumulative


def reduce_prod_rule(bind: Function, params: dict[str, Any]) -> Function:
    """Returns `reduce_prod` with TensorFlow's derivative: for each factor the cumulative products before and after it."""
    axes = params["axes"]

    @jax.custom_jvp
    def product(x: jax.Array) -> jax.Array:
        return bind(x)

    @product.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        front = range(len(axes))
        moved = jnp.moveaxis(x, axes, front)
        flat = moved.reshape(-1, *moved.shape[len(axes) :])
        others = _exclusive(flat, False) * _exclusive(flat, True)
        return product(x), jnp.sum(dx * jnp.moveaxis(others.reshape(moved.shape), front, axes), axes)

    return product


def _exclusive(x: jax.Array, reverse: bool) -> jax.Array:
    """Returns the products of all factors before (after) each factor, along the first axis."""
    params: dict[str, Any] = {"axis": 0, "reverse": reverse}
    products = cumprod_rule(functools.partial(lax.cumprod, **params), params)(x)
    one = jnp.ones_like(x[:1])
    return jnp.concatenate([products[1:], one] if reverse else [one, products[:-1]])
