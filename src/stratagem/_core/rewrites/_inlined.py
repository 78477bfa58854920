"""inlined: the equations of a traced function, put into a program that has its operands and names its results; flattened."""

from collections.abc import Iterator, Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._private import is_literal, jax_function, within


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


def flattened(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns a program in which functions of JAX's (`jnp.var`, `jnp.where`) are equations of its own, as XLA sees them.

    The same object if it calls none.
    """
    if not any(map(_is_of_jax, jaxpr.eqns)):
        return jaxpr
    names: dict[Any, Any] = {}
    eqns = list(_flat(jaxpr.eqns, names))
    return jaxpr.replace(eqns=eqns, outvars=[v if is_literal(v) else names.get(v, v) for v in jaxpr.outvars])


def _flat(eqns: Sequence[Any], names: dict[Any, Any]) -> Iterator[Any]:
    """Yields equations whose values have these names. Calls add the names of their results."""

    def renamed(atom: Any) -> Any:
        return atom if is_literal(atom) else names.get(atom, atom)

    for eqn in eqns:
        operands = list(map(renamed, eqn.invars))
        if _is_of_jax(eqn):
            inner = eqn.params["jaxpr"].jaxpr
            own = dict(zip(inner.invars, operands, strict=True))
            # A function may be called twice: the values of each call are variables of their own.
            own |= {v: xc.Var(v.aval) for inner_eqn in inner.eqns for v in inner_eqn.outvars}
            yield from (within(flat, eqn) for flat in _flat(inner.eqns, own))
            names.update(zip(eqn.outvars, (v if is_literal(v) else own[v] for v in inner.outvars), strict=True))
        else:
            yield eqn.replace(invars=operands, outvars=[names.get(v, v) for v in eqn.outvars])


def _is_of_jax(eqn: Any) -> bool:
    if eqn.primitive.name not in ("jit", "pjit") or eqn.effects or eqn.ctx.xla_metadata:
        return False
    closed = eqn.params["jaxpr"]
    return not closed.consts and jax_function(closed.jaxpr) is not None
