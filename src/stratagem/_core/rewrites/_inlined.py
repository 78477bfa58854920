"""inlined, inline_calls, flattened: equations of one program in a different one, instead of a call."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._private import is_literal, jax_function, within


def _no_alias(eqn: Any, operands: Sequence[Any]) -> None:
    return None


def _as_it_is(eqn: Any, call: Any) -> Any:
    return eqn


def inlined(new: xc.ClosedJaxpr, operands: Sequence[Any], results: Sequence[Any]) -> Iterator[Any]:
    """Yields the equations of a program that takes `operands` of another one and defines its `results`.

    The program must have been traced for this place: its own variables keep their names. No result may be one of its operands.
    """
    names = dict(zip(new.jaxpr.invars, operands, strict=True)) | dict(zip(new.jaxpr.outvars, results, strict=True))
    names |= {v: xc.Literal(c, v.aval) for v, c in zip(new.jaxpr.constvars, new.consts, strict=True)}

    def renamed(atom: Any) -> Any:
        return atom if isinstance(atom, xc.Literal) else names.get(atom, atom)

    for inner in new.jaxpr.eqns:
        yield inner.replace(invars=list(map(renamed, inner.invars)), outvars=list(map(renamed, inner.outvars)))


def inline_calls(
    jaxpr: xc.Jaxpr,
    names: dict[Any, Any],
    body_of: Callable[[Any], xc.Jaxpr | None],
    alias_of: Callable[[Any, Sequence[Any]], Any] = _no_alias,
    placed: Callable[[Any, Any], Any] = _as_it_is,
) -> tuple[list[Any], list[Any]]:
    """Returns the equations of a program, calls replaced by their bodies, and its results. Nothing is evaluated.

    Each equation gets new variables, for a body may be called more than once.

    names: what the program's inputs are in the new one. body_of: returns the program, without constants, that an equation
    calls and that takes its place; None if the equation stays. alias_of: returns what the only result of an equation stands
    for, given its operands; None if for itself. placed: returns an equation of a body, given it and its call.
    """
    out: list[Any] = []

    def renamed(atom: Any) -> Any:
        return atom if is_literal(atom) else names.get(atom, atom)

    for eqn in jaxpr.eqns:
        operands = list(map(renamed, eqn.invars))
        if (alias := alias_of(eqn, operands)) is not None:
            names[eqn.outvars[0]] = alias
        elif (body := body_of(eqn)) is not None:
            own = dict(zip(body.invars, operands, strict=True))
            eqns, results = inline_calls(body, own, body_of, alias_of, placed)
            out += [placed(inner, eqn) for inner in eqns]
            names.update(zip(eqn.outvars, results, strict=True))
        else:
            names.update({v: xc.Var(v.aval) for v in eqn.outvars})
            out.append(eqn.replace(invars=operands, outvars=[names[v] for v in eqn.outvars]))
    return out, list(map(renamed, jaxpr.outvars))


def flattened(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns a program in which functions of JAX's (`jnp.var`, `jnp.where`) are equations of its own, as XLA sees them.

    The same object if it calls none.
    """
    if not any(map(_is_of_jax, jaxpr.eqns)):
        return jaxpr
    eqns, results = inline_calls(jaxpr, {}, _body_of_jax, placed=within)
    return jaxpr.replace(eqns=eqns, outvars=results)


def _body_of_jax(eqn: Any) -> xc.Jaxpr | None:
    return eqn.params["jaxpr"].jaxpr if _is_of_jax(eqn) else None


def _is_of_jax(eqn: Any) -> bool:
    if eqn.primitive.name not in ("jit", "pjit") or eqn.effects or eqn.ctx.xla_metadata:
        return False
    closed = eqn.params["jaxpr"]
    return not closed.consts and jax_function(closed.jaxpr) is not None
