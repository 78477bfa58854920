"""Inlines the calls in a step's program, so that all that it leaves to servers is at its top level."""

from collections.abc import Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._base.errors import UnimplementedError
from stratagem._core.step import called_jaxpr
from stratagem._private import is_literal, sub_jaxprs
from stratagem._servers.remote._markers import apply_p

_CALLS = ("jit", "pjit", "closed_call", "core_call")


def inlined(jaxpr: Any, aliases: Sequence[str], rename: dict[Any, Any] | None = None) -> tuple[list[Any], list[Any]]:
    """Returns the equations of a program, each call replaced by its body, and the program's outputs.

    aliases: primitives with one operand whose result counts as that operand. Raises UnimplementedError for an update by an
    optimizer within a branch or a loop.
    """
    rename = {} if rename is None else rename
    out: list[Any] = []

    def renamed(atom: Any) -> Any:
        return atom if is_literal(atom) else rename.get(atom, atom)

    for eqn in jaxpr.eqns:
        operands, name = [renamed(v) for v in eqn.invars], eqn.primitive.name
        if name in aliases and len(operands) == 1 and not is_literal(operands[0]):
            rename[eqn.outvars[0]] = operands[0]
        elif name in _CALLS and not (body := called_jaxpr(eqn)).consts:
            inner, outs = inlined(body.jaxpr, aliases, dict(zip(body.jaxpr.invars, operands, strict=True)))
            out += inner
            rename.update(zip(eqn.outvars, outs, strict=True))
        else:
            if any(_updates(j) for j in sub_jaxprs(eqn.params)):
                raise UnimplementedError(
                    f"An optimizer's update inside `{name}` cannot be left to parameter servers. Move apply_gradients out of "
                    "tf.cond and tf.while_loop; a Python loop around the step works."
                )
            rename.update({v: xc.Var(v.aval) for v in eqn.outvars})
            out.append(eqn.replace(invars=operands, outvars=[rename[v] for v in eqn.outvars]))
    return out, [renamed(v) for v in jaxpr.outvars]


def _updates(jaxpr: Any) -> bool:
    return any(e.primitive is apply_p or any(map(_updates, sub_jaxprs(e.params))) for e in jaxpr.eqns)
