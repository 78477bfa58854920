"""Inlines the calls in a step's program, so that all that it leaves to servers is at its top level."""

from collections.abc import Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._base.errors import UnimplementedError
from stratagem._core.rewrites import inline_calls
from stratagem._core.step import called_jaxpr
from stratagem._private import is_literal, sub_jaxprs
from stratagem._servers.remote._markers import apply_p

_CALLS = ("jit", "pjit", "closed_call", "core_call")


def inlined(jaxpr: xc.Jaxpr, aliases: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Returns the equations of a program, each call replaced by its body, and the program's outputs.

    aliases: primitives with one operand whose result counts as that operand. Raises UnimplementedError for an update by an
    optimizer within a branch or a loop.
    """

    def alias_of(eqn: Any, operands: Sequence[Any]) -> Any:
        counts = eqn.primitive.name in aliases and len(operands) == 1 and not is_literal(operands[0])
        return operands[0] if counts else None

    return inline_calls(jaxpr, {}, _body_of, alias_of)


def _body_of(eqn: Any) -> xc.Jaxpr | None:
    name = eqn.primitive.name
    if name in _CALLS and not (body := called_jaxpr(eqn)).consts:
        return body.jaxpr
    if any(map(_updates, sub_jaxprs(eqn.params))):
        raise UnimplementedError(
            f"An optimizer's update inside `{name}` cannot be left to parameter servers. Move apply_gradients out of "
            "tf.cond and tf.while_loop; a Python loop around the step works."
        )
    return None


def _updates(jaxpr: Any) -> bool:
    return any(e.primitive is apply_p or any(map(_updates, sub_jaxprs(e.params))) for e in jaxpr.eqns)
