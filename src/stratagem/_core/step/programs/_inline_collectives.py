"""Inlines calls so that every collective is at a program's top level, where the program can be cut."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._base.errors import UnimplementedError
from stratagem._core.rewrites import inline_calls
from stratagem._core.step.collectives._varying_outputs import COLLECTIVES
from stratagem._core.step.differentiation._differentiate import AxisEnv
from stratagem._private import line_of, sub_jaxprs


def has_side_effects(eqn: xc.JaxprEqn) -> bool:
    """Returns whether an equation has an effect besides its results: it prints, or calls back into Python."""
    return eqn.primitive.name not in COLLECTIVES and bool(eqn.effects)


def communicates(eqn: Any) -> bool:
    """Returns whether the equation, or one inside it, is a collective or reads the replica's id."""
    inner = (communicates(e) for j in sub_jaxprs(eqn.params) for e in j.eqns)
    return eqn.primitive.name in COLLECTIVES or eqn.primitive.name == "axis_index" or any(inner)


def flatten(jaxpr: xc.Jaxpr, replica_id: Any, axis_env: AxisEnv) -> tuple[list[Any], list[Any]]:
    """Returns the program's equations, calls that communicate replaced by their bodies, and the program's results.

    The replica's id becomes the variable `replica_id`.
    """

    def body_of(eqn: Any) -> xc.Jaxpr | None:
        return _body(eqn, axis_env) if eqn.primitive.name not in COLLECTIVES and communicates(eqn) else None

    def alias_of(eqn: Any, operands: Sequence[Any]) -> Any:
        return replica_id if eqn.primitive.name == "axis_index" else None

    return inline_calls(jaxpr, {}, body_of, alias_of)


def called_jaxpr(eqn: xc.JaxprEqn) -> xc.ClosedJaxpr:
    """Returns the program that an equation calls."""
    found = next(p for p in eqn.params.values() if isinstance(p, xc.Jaxpr | xc.ClosedJaxpr))
    return found if isinstance(found, xc.ClosedJaxpr) else xc.ClosedJaxpr(found, [])


def _body(eqn: Any, axis_env: AxisEnv) -> Any:
    """Returns the body of a call that communicates, as a program with the same operands."""
    name = eqn.primitive.name
    if name == "while" or (name == "cond" and _acts(eqn)):
        raise UnimplementedError(
            f"{line_of(eqn)}: a collective (all_reduce, apply_gradients, or the replica's id) inside a `while`, or beside a "
            "check or print inside an `if` on a tensor, works on even batches only, and this batch is uneven. Move it out of "
            "the branch or loop, or drop the remainder."
        )
    # jit, custom_jvp_call, custom_vjp_call, checkpoint, closed_call: one program, same operands
    flat = {"scan": _unrolled, "cond": _all_branches}.get(name)
    made = None if flat is None else jax.make_jaxpr(flat(eqn), axis_env=axis_env)
    closed = called_jaxpr(eqn) if made is None else made(*(v.aval for v in eqn.invars))
    if closed.consts or len(closed.jaxpr.invars) != len(eqn.invars):
        raise UnimplementedError(f"A collective inside `{name}` cannot be run on an uneven batch.")
    return closed.jaxpr


def _acts(eqn: Any) -> bool:
    """Returns whether an equation inside this one has an effect besides its results."""
    inner = [e for j in sub_jaxprs(eqn.params) for e in j.eqns]
    return any(map(_acts, inner)) if inner else has_side_effects(eqn)


def _all_branches(eqn: Any) -> Any:
    """Returns a condition as a function that computes all branches, which have no effects but their results."""
    branches = [xc.jaxpr_as_fun(branch) for branch in eqn.params["branches"]]

    def run(index: Any, *args: Any) -> list[Any]:
        results = [branch(*args) for branch in branches]
        return [jax.lax.select_n(index, *values) for values in zip(*results, strict=True)]

    return run


def _unrolled(eqn: Any) -> Any:
    """Returns a scan as a function without a loop."""
    p = eqn.params
    body, consts, carries = xc.jaxpr_as_fun(p["jaxpr"]), p["num_consts"], p["num_carry"]
    steps = range(p["length"])

    def run(*args: Any) -> list[Any]:
        carry, xs = list(args[consts : consts + carries]), args[consts + carries :]
        rows: dict[int, list[Any]] = {}
        for i in reversed(steps) if p["reverse"] else steps:
            out = body(*args[:consts], *carry, *(x[i] for x in xs))
            carry, rows[i] = out[:carries], out[carries:]
        return [*carry, *(jnp.stack(y) for y in zip(*(rows[i] for i in steps), strict=True))]

    return run
