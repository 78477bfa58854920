"""tensorflow_rules, forward_rules: a program with TensorFlow's derivatives, for tapes and for forward accumulators."""

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core as xc

from stratagem._core.derivatives import _along_axes as along_axes
from stratagem._core.derivatives import _elementwise as elementwise
from stratagem._core.derivatives._reverse_only import is_reverse_only, reverse_only
from stratagem._core.while_gradient import pushed_forward, reverse_connected, reverse_while, reversible_while
from stratagem._private import jax_function, map_equations, map_jaxprs

Function = Callable[..., Any]

_CALLS = ("jit", "pjit", "closed_call", "checkpoint", "remat2", "scan", "cond", "while", "shard_map")

# Primitives, and functions of JAX by their names: of programs that are called, and of those with rules of JAX's own.
_RULES: dict[str, Callable[[Function, dict[str, Any]], Function]] = {
    "abs": elementwise.absolute_rule,
    "max": elementwise.extreme_rule(lax.ge),
    "min": elementwise.extreme_rule(lax.le),
    "clamp": elementwise.clamp_rule,
    "pow": elementwise.power_rule,
    "sqrt": elementwise.sqrt_rule,
    "rsqrt": elementwise.rsqrt_rule,
    "reduce_max": along_axes.reduce_extreme_rule,
    "reduce_min": along_axes.reduce_extreme_rule,
    "reduce_prod": along_axes.reduce_prod_rule,
    "cumprod": along_axes.cumprod_rule,
}
_CALLED: dict[str | None, Function] = {
    "leaky_relu": elementwise.leaky_relu,
    "elu": elementwise.elu,
    "selu": elementwise.selu,
}
_WITH_RULES: dict[str | None, Function] = {"relu": elementwise.relu, "relu6": elementwise.relu6}
# Smooth functions whose program has kinks that JAX's rules (half for each at a tie) cancel.
_SMOOTH = ("hypot", "celu")

reverse_only(reverse_while)
reverse_only(reverse_connected)


def tensorflow_rules(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a program with the same values and TensorFlow's derivatives: the same object if there is nothing to change."""
    jaxpr = _with_rules(closed.jaxpr)
    return closed if jaxpr is closed.jaxpr else xc.ClosedJaxpr(jaxpr, closed.consts)


def forward_rules(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a program with TensorFlow's derivatives that can be pushed forward.

    Rules of ours for the reverse alone, which JAX refuses, are taken out. Rules of users' own functions stay.
    """
    return xc.ClosedJaxpr(_forward(tensorflow_rules(closed).jaxpr), closed.consts)


def _forward(jaxpr: Any) -> Any:
    return jaxpr.replace(eqns=[_forward_equation(eqn) for eqn in jaxpr.eqns])


def _forward_equation(eqn: Any) -> Any:
    if eqn.primitive.name in _CALLS:
        return eqn.replace(params={k: map_jaxprs(v, _forward) for k, v in eqn.params.items()})
    if eqn.primitive.name == "custom_vjp_call" and is_reverse_only(eqn.params["bwd"].f):
        body = _body(eqn)
        return _called_by(eqn, jax.jit(xc.jaxpr_as_fun(xc.ClosedJaxpr(_forward(body.jaxpr), body.consts))))
    return eqn


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
    elif name in _RULES and jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.floating):  # of complex numbers all are JAX's
        yield _with_rule(eqn)
    elif name == "custom_jvp_call" and (function := jax_function(eqn.params["call_jaxpr"].jaxpr)) in _WITH_RULES:
        yield _called_by(eqn, _WITH_RULES[function])
    else:
        yield eqn


def _with_reverse(loop: Any) -> Any:
    """Returns a `while` equation as a call with a rule for its reverse, which JAX lacks; without floats it needs none."""
    if not any(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in loop.outvars):
        return loop
    reversible = reversible_while(loop)
    if reversible is None:
        return loop
    return _called_by(loop, reversible)


def _called_by(eqn: Any, function: Function) -> Any:
    """Returns the call of a function with a rule of its own in the place of an equation."""
    (new,) = jax.make_jaxpr(function)(*(v.aval for v in eqn.invars)).jaxpr.eqns
    return new.replace(invars=list(eqn.invars), outvars=list(eqn.outvars), source_info=eqn.source_info)


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
    if name in _CALLED:
        return jax.make_jaxpr(_CALLED[name])(*(v.aval for v in jaxpr.invars)).jaxpr
    return _with_rules(_bounds_last(jaxpr) if name == "clip" else jaxpr)


def _bounds_last(jaxpr: Any) -> Any:
    """Returns the program of `jnp.clip` with the clipped value as the first operand, which gets everything at a bound."""
    eqns = [
        e.replace(invars=e.invars[::-1])
        if e.primitive.name in ("max", "min") and not isinstance(e.invars[1], xc.Literal)
        else e
        for e in jaxpr.eqns
    ]
    return jaxpr.replace(eqns=eqns)


def _with_rule(eqn: Any) -> Any:
    """Returns the call that takes the place of an equation."""
    new = _call(eqn.primitive, tuple(sorted(eqn.params.items())), tuple(v.aval for v in eqn.invars))
    return new.replace(invars=list(eqn.invars), outvars=list(eqn.outvars), source_info=eqn.source_info)


@functools.lru_cache(4096)
def _call(primitive: Any, params: tuple[tuple[str, Any], ...], avals: tuple[Any, ...]) -> Any:
    function = _RULES[primitive.name](functools.partial(primitive.bind, **dict(params)), dict(params))
    (eqn,) = jax.make_jaxpr(function)(*avals).jaxpr.eqns
    return eqn
