"""Connections: which operands of an operation its results have a gradient by, and which are unconnected."""

from collections.abc import Collection, Container, Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend import core as xc

# Operations that have their operands in the order of those of one program inside, which runs once.
_CALLS = ("closed_call", "custom_jvp_call", "custom_vjp_call", "jit", "pjit", "shard_map")

# As in TensorFlow, their results have no gradient, but are sources for what follows. (The gradient of `sign` is zero.)
_STEPS = ("ceil", "floor", "round")


def needed_operands(jaxpr: xc.Jaxpr) -> list[set[int]]:
    """Returns the positions of the operands that each result of a program depends on, through inexact values."""
    every = range(len(jaxpr.outvars))
    if any(_is_step(eqn) for eqn in jaxpr.eqns):
        return [_needed(jaxpr, every)] * len(every)
    return [_needed(jaxpr, [i]) for i in every]


def tracked_results(eqn: Any, live: Container[Any]) -> list[Any]:
    """Returns the inexact results of an equation that a tape tracks if it tracks these values."""
    if eqn.primitive.name == "stop_gradient" or not any(
        not isinstance(v, xc.Literal) and v in live for v in _operands(eqn)
    ):
        return []
    return [v for v in eqn.outvars if is_inexact(v.aval)]


def stops(jaxpr: xc.Jaxpr) -> bool:
    """Returns whether a tape does not track the results of a program, whatever its operands are."""
    return all(eqn.primitive.name == "stop_gradient" for eqn in jaxpr.eqns)


def reached_results(eqn: Any, live: Container[Any]) -> list[Any]:
    """Returns the inexact results of an equation that depend on one of these values."""
    if not any(not isinstance(v, xc.Literal) and v in live for v in _operands(eqn)):
        return []
    results = [(i, v) for i, v in enumerate(eqn.outvars) if is_inexact(v.aval)]
    return [v for i, v in results if any(x in live for x in read_values(eqn, [i]))]


def _needed(jaxpr: xc.Jaxpr, results: Collection[int]) -> set[int]:
    needed = _inexact([jaxpr.outvars[i] for i in results])
    for eqn in reversed(jaxpr.eqns):
        made = [i for i, v in enumerate(eqn.outvars) if v in needed]
        if made:
            needed |= read_values(eqn, made)
    return {i for i, v in enumerate(jaxpr.invars) if v in needed}


def read_values(eqn: Any, made: Collection[int]) -> set[Any]:
    """Returns the inexact operands of an equation that the results at these positions depend on."""
    if eqn.primitive.name in (*_STEPS, "stop_gradient"):
        return set()
    if eqn.primitive.name == "assigned":
        return _inexact(eqn.invars[1:])
    if eqn.primitive.name == "cond":  # connected in one of the branches
        branches = [_needed(branch.jaxpr, made) for branch in eqn.params["branches"]]
        return _inexact([eqn.invars[1 + i] for i in set().union(*branches)])
    inside = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
    if eqn.primitive.name not in _CALLS or inside is None:
        return _inexact(_operands(eqn))
    program = inside.jaxpr if isinstance(inside, xc.ClosedJaxpr) else inside
    if _is_step(eqn):
        made = range(len(eqn.outvars))
    return _inexact([eqn.invars[i] for i in _needed(program, made)])


def _operands(eqn: Any) -> Sequence[Any]:
    """Returns the operands of an equation to which cotangents flow: of a custom gradient not the values that it reads."""
    return eqn.invars[: eqn.params["operands"]] if eqn.primitive.name == "custom_gradient" else eqn.invars


def _is_step(eqn: Any) -> bool:
    """Returns whether an equation is a compiled step, whose results TensorFlow differentiates together."""
    return bool(eqn.primitive.name == "shard_map")


def is_inexact(value: Any) -> bool:
    """Returns whether a tensor, or the type of one, has floating-point or complex numbers, which have gradients."""
    return bool(jnp.issubdtype(value.dtype, jnp.inexact))


def conjugates(values: Sequence[Any]) -> list[Any]:
    """Returns the values, the complex ones conjugated.

    TensorFlow's gradient by a complex z = x + iy of a real f is df/dx + i df/dy, in whose direction f grows; JAX's is its
    conjugate. So what JAX pulls back is the conjugate of TensorFlow's gradient for conjugated cotangents.
    """
    return [jnp.conj(v) if jnp.issubdtype(v.dtype, jnp.complexfloating) else v for v in values]


def _inexact(values: Sequence[Any]) -> set[Any]:
    return {v for v in values if not isinstance(v, xc.Literal) and is_inexact(v.aval)}
