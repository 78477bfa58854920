"""TensorFlow's derivatives at kinks, ties and poles, put into a program in place of the rules by which JAX's differ there.

A primitive whose rule differs becomes a call of a function with the same value and TensorFlow's rule. The rules are
differentiable again. What has a rule of its own (`custom_jvp_call`, `custom_vjp_call`) stays as it is.
"""

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_derivatives import SymbolicZero
from jax.extend import core as xc

from stratagem._core.while_gradient import pushed_forward, reverse_connected, reverse_while, reversible_while
from stratagem._private import jax_function, map_equations, map_jaxprs

Function = Callable[..., Any]

_CALLS = ("jit", "pjit", "closed_call", "checkpoint", "remat2", "scan", "cond", "while", "shard_map")


def tensorflow_rules(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a program with the same values and TensorFlow's derivatives: the same object if there is nothing to change."""
    jaxpr = _with_rules(closed.jaxpr)
    return closed if jaxpr is closed.jaxpr else xc.ClosedJaxpr(jaxpr, closed.consts)


def forward_rules(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a program whose derivatives can be pushed forward: rules for the reverse alone, which JAX refuses, are taken out.

    Rules of users' own functions stay.
    """
    return xc.ClosedJaxpr(_forward(closed.jaxpr), closed.consts)


def _forward(jaxpr: Any) -> Any:
    return jaxpr.replace(eqns=[_forward_equation(eqn) for eqn in jaxpr.eqns])


def _forward_equation(eqn: Any) -> Any:
    if eqn.primitive.name in _CALLS:
        return eqn.replace(params={k: map_jaxprs(v, _forward) for k, v in eqn.params.items()})
    if eqn.primitive.name == "custom_vjp_call" and _is_ours(eqn.params["bwd"].f):
        body = forward_rules(_body(eqn))
        (called,) = jax.make_jaxpr(jax.jit(xc.jaxpr_as_fun(body)))(*(v.aval for v in eqn.invars)).jaxpr.eqns
        return called.replace(invars=list(eqn.invars), outvars=list(eqn.outvars))
    return eqn


def _is_ours(reverse: Any) -> bool:
    ours = (reverse_while, reverse_connected, _unless_zero)
    return reverse is _rsqrt_gradient_backward or getattr(reverse, "func", reverse) in ours


def _body(eqn: Any) -> xc.ClosedJaxpr:
    """Returns a function with a rule for its reverse as a program with the same derivative."""
    reverse = eqn.params["bwd"].f
    if getattr(reverse, "func", reverse) is reverse_connected:
        return jax.make_jaxpr(functools.partial(pushed_forward, *reverse.args))(*(v.aval for v in eqn.invars))
    return eqn.params["call_jaxpr"]


# By identity: JAX shares the program of a function among its calls, and caches what it derives from each program.
_KNOWN: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _with_rules(jaxpr: Any) -> Any:
    return map_equations(jaxpr, _equations)


def _equations(eqn: Any) -> Iterator[Any]:
    name = eqn.primitive.name
    if name in _CALLS:
        params = {k: _in_param(v) for k, v in eqn.params.items()}
        new = eqn.replace(params=params) if any(params[k] is not eqn.params[k] for k in params) else eqn
        yield _with_reverse(new) if name == "while" else new
    elif name in _RULES and jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.floating):  # `abs` of complex numbers is JAX's
        yield from _replaced(eqn)
    else:
        yield eqn


def _with_reverse(loop: Any) -> Any:
    """Returns a `while` equation as a call with a rule for its reverse, which JAX lacks; without floats it needs none."""
    if not any(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in loop.outvars):
        return loop
    reversible = reversible_while(loop)
    if reversible is None:
        return loop
    (new,) = jax.make_jaxpr(reversible)(*(v.aval for v in loop.invars)).jaxpr.eqns
    return new.replace(invars=list(loop.invars), outvars=list(loop.outvars), source_info=loop.source_info)


def _in_param(param: Any) -> Any:
    if isinstance(param, tuple):
        parts = tuple(map(_in_param, param))
        return parts if any(a is not b for a, b in zip(parts, param, strict=True)) else param
    if isinstance(param, xc.ClosedJaxpr):
        if param.jaxpr not in _KNOWN:
            _KNOWN[param.jaxpr] = _called(param.jaxpr)
        known = _KNOWN[param.jaxpr]
        return param if known is param.jaxpr else xc.ClosedJaxpr(known, param.consts)
    return _with_rules(param) if isinstance(param, xc.Jaxpr) else param


def _called(jaxpr: Any) -> Any:
    """Returns a called program with TensorFlow's rules: functions of JAX may need more than rules for their primitives."""
    name = jax_function(jaxpr)
    if name in _SMOOTH:
        return jaxpr
    if name in _FUNCTIONS:
        return jax.make_jaxpr(_FUNCTIONS[name])(*(v.aval for v in jaxpr.invars)).jaxpr
    return _with_rules(_bounds_last(jaxpr) if name == "clip" else jaxpr)


def _replaced(eqn: Any) -> Iterator[Any]:
    """Yields the call that takes the place of an equation."""
    new = _call(eqn.primitive, tuple(sorted(eqn.params.items())), tuple(v.aval for v in eqn.invars))
    yield new.replace(invars=list(eqn.invars), outvars=list(eqn.outvars), source_info=eqn.source_info)


@functools.lru_cache(4096)
def _call(primitive: Any, params: tuple[tuple[str, Any], ...], avals: tuple[Any, ...]) -> Any:
    function = _RULES[primitive.name](functools.partial(primitive.bind, **dict(params)), dict(params))
    (eqn,) = jax.make_jaxpr(function)(*avals).jaxpr.eqns
    return eqn


# --- Elementwise ----------------------------------------------------------------------------------------------------------


def _abs(bind: Function, _: dict[str, Any]) -> Function:
    @jax.custom_jvp
    def absolute(x: jax.Array) -> jax.Array:
        return bind(x)

    @absolute.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        return absolute(x), dx * lax.sign(x)

    return absolute


def _extreme(prefers: Function) -> Function:
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


def _clamp(bind: Function, _: dict[str, Any]) -> Function:
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


# An infinite slope times no gradient is no gradient in TensorFlow: where(x > 0, sqrt(x), 0) has the derivative 0 at 0.


def _sqrt(bind: Function, _: dict[str, Any]) -> Function:
    @jax.custom_vjp
    def root(x: jax.Array) -> jax.Array:
        return bind(x)

    def forward(x: Any) -> tuple[jax.Array, jax.Array]:
        y = root(x.value)
        return y, y

    root.defvjp(forward, functools.partial(_unless_zero, _sqrt_gradient), symbolic_zeros=True)
    return root


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


def _rsqrt(bind: Function, _: dict[str, Any]) -> Function:
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


def _rsqrt_gradient_backward(saved: Any, cotangent: jax.Array) -> Any:
    y, gradient = saved
    return -1.5 * cotangent * gradient * jnp.square(y), _rsqrt_gradient(y, cotangent)


_rsqrt_gradient.defvjp(_rsqrt_gradient_forward, _rsqrt_gradient_backward)

# --- Along axes -----------------------------------------------------------------------------------------------------------


def _reduce_extreme(bind: Function, params: dict[str, Any]) -> Function:
    """Returns `reduce_max` or `reduce_min`: equal shares for all that are equal to it, NaN where it is NaN."""
    axes = params["axes"]

    @jax.custom_jvp
    def extreme(x: jax.Array) -> jax.Array:
        return bind(x)

    @extreme.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        y = extreme(x)
        chosen = (x == jnp.expand_dims(y, axes)).astype(x.dtype)
        count = jnp.sum(chosen, axes, keepdims=True)
        share = jnp.where(count == 0, jnp.nan, chosen / count)  # XLA makes 0 of a mask divided by 0
        return y, jnp.sum(dx * share, axes)

    return extreme


def _cumprod(bind: Function, params: dict[str, Any]) -> Function:
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


def _reduce_prod(bind: Function, params: dict[str, Any]) -> Function:
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
    products = _cumprod(functools.partial(lax.cumprod, **params), params)(x)
    one = jnp.ones_like(x[:1])
    return jnp.concatenate([products[1:], one] if reverse else [one, products[:-1]])


_RULES: dict[str, Callable[[Function, dict[str, Any]], Function]] = {
    "abs": _abs,
    "max": _extreme(lax.ge),
    "min": _extreme(lax.le),
    "clamp": _clamp,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "reduce_max": _reduce_extreme,
    "reduce_min": _reduce_extreme,
    "reduce_prod": _reduce_prod,
    "cumprod": _cumprod,
}

# --- Functions of JAX -----------------------------------------------------------------------------------------------------


def _leaky_relu(x: jax.Array, negative_slope: Any = 0.01) -> jax.Array:
    return jnp.where(x > 0, x, negative_slope * x)


def _exponential(x: jax.Array, alpha: Any) -> jax.Array:
    """Returns x, or alpha * expm1(x) where x is negative: 0 and NaN belong to the right side."""
    negative = x < 0
    return jnp.where(negative, alpha * jnp.expm1(jnp.where(negative, x, 0)), x)


def _elu(x: jax.Array, alpha: Any = 1.0) -> jax.Array:
    unscaled = _exponential(x, 1)
    return jnp.where(x > 0, unscaled, alpha * unscaled)


def _selu(x: jax.Array) -> jax.Array:
    return 1.0507009873554805 * _exponential(x, 1.6732632423543772)


def _bounds_last(jaxpr: Any) -> Any:
    """Returns the program of `jnp.clip` with the clipped value as the first operand, which gets everything at a bound."""
    eqns = [
        e.replace(invars=e.invars[::-1])
        if e.primitive.name in ("max", "min") and not isinstance(e.invars[1], xc.Literal)
        else e
        for e in jaxpr.eqns
    ]
    return jaxpr.replace(eqns=eqns)


_FUNCTIONS: dict[str | None, Function] = {"leaky_relu": _leaky_relu, "elu": _elu, "selu": _selu}
# Smooth functions whose program has kinks that JAX's rules (half for each at a tie) cancel.
_SMOOTH = ("hypot", "celu")
