"""Derivatives of functions of single elements, where TensorFlow's differ from JAX's."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_derivatives import SymbolicZero

from stratagem._core.connected import connected
from stratagem._core.derivatives._reverse_only import reverse_only

Function = Callable[..., Any]


def absolute_rule(bind: Function, _: dict[str, Any]) -> Function:
    """Returns `abs`, whose slope at 0 is 0."""

    @jax.custom_jvp
    def absolute(x: jax.Array) -> jax.Array:
        return bind(x)

    @absolute.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        return absolute(x), dx * lax.sign(x)

    return absolute


def extreme_rule(prefers: Function) -> Callable[[Function, dict[str, Any]], Function]:
    """Returns the rule of `max` or `min`: at a tie everything goes to the first operand."""

    def make(bind: Function, _: dict[str, Any]) -> Function:
        @jax.custom_jvp
        def extreme(x: jax.Array, y: jax.Array) -> jax.Array:
            return bind(x, y)

        @extreme.defjvp
        def rule(primals: Any, tangents: Any) -> Any:
            (x, y), (dx, dy) = primals, tangents
            return extreme(x, y), jnp.where(prefers(x, y), dx, dy)

        return extreme

    return make


def clamp_rule(bind: Function, _: dict[str, Any]) -> Function:
    """Returns `clamp` with the derivative of `tf.clip_by_value`: at its bounds everything goes to the clipped value."""

    @jax.custom_jvp
    def clamp(low: jax.Array, x: jax.Array, high: jax.Array) -> jax.Array:
        return bind(low, x, high)

    @clamp.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (low, x, high), (dlow, dx, dhigh) = primals, tangents
        below = jnp.where(x <= high, dx, dhigh)
        return clamp(low, x, high), jnp.where(lax.min(x, high + jnp.zeros_like(x)) >= low, below, dlow)

    return clamp


def power_rule(bind: Function, _: dict[str, Any]) -> Function:
    """Returns `pow`, whose slope by the exponent is 0 where the base has no logarithm: where it is not positive."""

    @jax.custom_jvp
    def power(x: jax.Array, y: jax.Array) -> jax.Array:
        return bind(x, y)

    def rule(primals: Any, tangents: Any) -> Any:
        (x, y), (dx, dy) = primals, tangents
        z = power(x, y)
        parts = []
        if not isinstance(dx, SymbolicZero):
            below = y - 1 if jnp.issubdtype(y.dtype, jnp.floating) else jnp.where(y == 0, 1, y - 1)
            parts.append(dx * (y * power(x, below)).astype(z.dtype))
        if not isinstance(dy, SymbolicZero):
            known = x > 0
            logarithm = jnp.where(known, lax.log(jnp.where(known, x, 1)), 0)
            parts.append(dy * z * logarithm)
        return z, sum(parts[1:], parts[0]) if parts else jnp.zeros_like(z)

    power.defjvp(rule, symbolic_zeros=True)
    return power


# --- Rectifiers: TensorFlow's gradient takes the result, and that of a leaky one the argument ------------------------------


@jax.custom_jvp
def relu(x: jax.Array) -> jax.Array:
    """Returns max(x, 0)."""
    return lax.max(x, jnp.zeros((), x.dtype))


@relu.defjvp
def _relu_rule(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    y = relu(x)
    return y, connected(jnp.where(x > 0, dx, 0), y)


@jax.custom_jvp
def relu6(x: jax.Array) -> jax.Array:
    """Returns min(max(x, 0), 6)."""
    return lax.min(lax.max(x, jnp.zeros((), x.dtype)), jnp.full((), 6, x.dtype))


@relu6.defjvp
def _relu6_rule(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    y = relu6(x)
    return y, connected(jnp.where((x > 0) & (x < 6), dx, 0), y)


@jax.custom_jvp
def leaky_relu(x: jax.Array, negative_slope: Any = 0.01) -> jax.Array:
    """Returns x where it is positive, else x times the slope."""
    return jnp.where(x > 0, x, negative_slope * x)


def _leaky_relu_rule(primals: Any, tangents: Any) -> Any:
    (x, negative_slope), (dx, dslope) = primals, tangents
    change = jnp.zeros_like(x) if isinstance(dx, SymbolicZero) else jnp.where(x > 0, dx, negative_slope * dx)
    if not isinstance(dslope, SymbolicZero):
        change = change + jnp.where(x > 0, 0, x * dslope)
    return leaky_relu(x, negative_slope), connected(change.astype(x.dtype), x)


leaky_relu.defjvp(_leaky_relu_rule, symbolic_zeros=True)


def _exponential(x: jax.Array, alpha: Any) -> jax.Array:
    """Returns x, or alpha * expm1(x) where x is negative: 0 and NaN belong to the right side."""
    negative = x < 0
    return jnp.where(negative, alpha * jnp.expm1(jnp.where(negative, x, 0)), x)


def elu(x: jax.Array, alpha: Any = 1.0) -> jax.Array:
    """Returns x where it is positive, else alpha * (exp(x) - 1)."""
    unscaled = _exponential(x, 1)
    return jnp.where(x > 0, unscaled, alpha * unscaled)


def selu(x: jax.Array) -> jax.Array:
    """Returns the scaled `elu` that keeps mean 0 and variance 1."""
    return 1.0507009873554805 * _exponential(x, 1.6732632423543772)


# --- Roots: an infinite slope times no gradient is no gradient in TensorFlow, as in where(x > 0, sqrt(x), 0) at 0 -----------


def sqrt_rule(bind: Function, _: dict[str, Any]) -> Function:
    """Returns `sqrt`."""

    @jax.custom_vjp
    def root(x: jax.Array) -> jax.Array:
        return bind(x)

    def forward(x: Any) -> tuple[jax.Array, jax.Array]:
        y = root(x.value)
        return y, y

    root.defvjp(forward, functools.partial(_unless_zero, _sqrt_gradient), symbolic_zeros=True)
    return root


@reverse_only
def _unless_zero(rule: Function, y: jax.Array, gradient: Any) -> tuple[jax.Array]:
    """Returns the rule's gradient; zeros that do not depend on `y` for a result that nothing depends on."""
    return (jnp.zeros_like(y) if isinstance(gradient, SymbolicZero) else rule(y, gradient),)


@jax.custom_jvp
def _sqrt_gradient(y: jax.Array, gradient: jax.Array) -> jax.Array:
    return jnp.where(gradient == 0, 0, 0.5 * gradient / y)


@_sqrt_gradient.defjvp
def _sqrt_gradient_rule(primals: Any, tangents: Any) -> Any:
    (y, gradient), (dy, dgradient) = primals, tangents
    value = _sqrt_gradient(y, gradient)
    return value, (0.5 * dgradient - value * dy) / y


def rsqrt_rule(bind: Function, _: dict[str, Any]) -> Function:
    """Returns `rsqrt`."""

    @jax.custom_vjp
    def inverse(x: jax.Array) -> jax.Array:
        return bind(x)

    def forward(x: Any) -> tuple[jax.Array, jax.Array]:
        y = inverse(x.value)
        return y, y

    inverse.defvjp(forward, functools.partial(_unless_zero, _rsqrt_gradient), symbolic_zeros=True)
    return inverse


@jax.custom_vjp
def _rsqrt_gradient(y: jax.Array, gradient: jax.Array) -> jax.Array:
    return jnp.where(gradient == 0, 0, -0.5 * gradient * y * y * y)


def _rsqrt_gradient_forward(y: jax.Array, gradient: jax.Array) -> Any:
    return _rsqrt_gradient(y, gradient), (y, gradient)


@reverse_only
def _rsqrt_gradient_backward(saved: Any, cotangent: jax.Array) -> Any:
    y, gradient = saved
    return -1.5 * cotangent * gradient * jnp.square(y), _rsqrt_gradient(y, cotangent)


_rsqrt_gradient.defvjp(_rsqrt_gradient_forward, _rsqrt_gradient_backward)
