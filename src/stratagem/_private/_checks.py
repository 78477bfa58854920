"""Checks of values that are part of a program: they are equations without results, and become results when it is compiled."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax._src import checkify, effects
from jax.extend import core as xc

from stratagem._private._traces import map_jaxprs, sub_jaxprs


def keep_checks() -> None:
    """Let a loop that is differentiated keep its checks."""
    effects.partial_eval_kept_effects.add_type(checkify.ErrorEffect)


@dataclass(frozen=True)
class CheckResult:
    """The additional result of a program with checks: the number of the first check that failed, or 0.

    values: by check, what it was given when it first failed.
    """

    number: jax.Array
    values: dict[Any, list[jax.Array]]


@functools.cache
def _failure(number: int) -> type:
    """A class of errors for one check. Checks of one class would share their values where these have the same shapes."""
    return type(f"CheckResult{number:06}", (checkify.FailedCheckError,), {})


def add_check(fails: jax.Array, number: int, values: Sequence[jax.Array]) -> Any:
    """Add the check with this number to the program being traced; returns what its values are known by in `CheckResult`."""
    effect = checkify.ErrorEffect(_failure(number), tuple(jax.ShapeDtypeStruct(v.shape, v.dtype) for v in values))
    error = checkify.Error({effect: fails}, {effect: jnp.asarray(number, jnp.int32)}, {}, {effect: list(values)})
    checkify.check_error(error)
    return effect


def has_checks(closed: xc.ClosedJaxpr) -> bool:
    """Returns whether a program has checks."""
    return any(isinstance(effect, checkify.ErrorEffect) for effect in closed.effects)


def checked(closed: xc.ClosedJaxpr, *args: Any) -> tuple[list[Any], CheckResult]:
    """Evaluate a program that has checks: its results, and what the checks found.

    In a trace, whose program `revealed` completes.
    """
    kinds = frozenset(e.error_type for e in closed.effects if isinstance(e, checkify.ErrorEffect))
    run = checkify.checkify(xc.jaxpr_as_fun(xc.ClosedJaxpr(_hiding(closed.jaxpr), closed.consts)), errors=kinds)
    error, results = run(*args)
    most = jnp.iinfo(jnp.int32).max
    numbers = [jnp.where(error._pred[e], error._code[e], most) for e in sorted(error._pred)]
    first = jnp.min(jnp.stack(numbers))
    return list(results), CheckResult(
        jnp.where(first == most, 0, first), {e: list(map(jnp.asarray, v)) for e, v in error._payload.items()}
    )


# Checkify traces every branch and loop several times, with those inside of it as many times more: the reverse of a loop in a
# loop took minutes. In the place of an equation without checks it meets one that says nothing of what is inside.
_hidden_p = xc.Primitive("hidden")
_hidden_p.multiple_results = True
_hidden_p.def_effectful_abstract_eval(lambda *_, eqn: ([v.aval for v in eqn.outvars], eqn.effects))

_hidden_p.def_impl(lambda *args, eqn: eqn.primitive.bind(*args, **eqn.params))


def _hiding(jaxpr: Any) -> Any:
    return jaxpr.replace(eqns=[_hidden(eqn) if any(sub_jaxprs(eqn.params)) else eqn for eqn in jaxpr.eqns])


def _hidden(eqn: Any) -> Any:
    if any(isinstance(effect, checkify.ErrorEffect) for effect in eqn.effects):
        return eqn.replace(params={k: map_jaxprs(v, _hiding) for k, v in eqn.params.items()})
    return eqn.replace(primitive=_hidden_p, params={"eqn": eqn})


def revealed(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """The program of a trace that has called `checked`, with all of its equations."""
    return xc.ClosedJaxpr(_revealed(closed.jaxpr), closed.consts)


def _revealed(jaxpr: Any) -> Any:
    eqns = []
    for eqn in jaxpr.eqns:
        if eqn.primitive is _hidden_p:
            eqns.append(eqn.params["eqn"].replace(invars=eqn.invars, outvars=eqn.outvars))
        else:
            eqns.append(eqn.replace(params={k: map_jaxprs(v, _revealed) for k, v in eqn.params.items()}))
    return jaxpr.replace(eqns=eqns)
