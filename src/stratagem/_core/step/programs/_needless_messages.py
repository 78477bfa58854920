"""without_needless_messages: replicas are not sent what they know, replica 0's value of what is equal on all of them.

An optimizer counts its steps in a variable that takes replica 0's value: between workers that would be a message in every step.
"""

from collections.abc import Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._core.step.collectives._sums import FIRST_REPLICAS_VALUE
from stratagem._core.step.collectives._varying_outputs import varying_results
from stratagem._private import is_literal, map_jaxprs

_CALLS = ("jit", "pjit", "closed_call")


def without_needless_messages(closed: xc.ClosedJaxpr, varying: Sequence[bool]) -> xc.ClosedJaxpr:
    """Returns the same program without them, also inside of functions that it calls, but not inside of loops and branches.

    varying: for every input, whether it may differ between replicas.
    """
    return xc.ClosedJaxpr(_without(closed.jaxpr, varying), closed.consts)


def _without(jaxpr: Any, varying: Sequence[bool]) -> Any:
    differs = {v for v, varies in zip(jaxpr.invars, varying, strict=True) if varies}
    known: dict[Any, Any] = {}  # by what the message would have brought

    def renamed(atom: Any) -> Any:
        return atom if is_literal(atom) else known.get(atom, atom)

    eqns = []
    for old in jaxpr.eqns:
        eqn = old.replace(invars=list(map(renamed, old.invars)))
        ins = [not is_literal(v) and v in differs for v in eqn.invars]
        if _is_first_replicas_value(eqn) and not ins[0]:
            known[eqn.outvars[0]] = eqn.invars[0]
            continue
        differs.update(v for v, varies in zip(eqn.outvars, varying_results(eqn, ins), strict=True) if varies)
        eqns.append(_inside(eqn, ins))
    return jaxpr.replace(eqns=eqns, outvars=list(map(renamed, jaxpr.outvars)))


def _is_first_replicas_value(eqn: Any) -> bool:
    return eqn.primitive.name in _CALLS and eqn.params.get("name") == FIRST_REPLICAS_VALUE


def _inside(eqn: Any, ins: Sequence[bool]) -> Any:
    if eqn.primitive.name not in _CALLS:
        return eqn
    return eqn.replace(params={k: map_jaxprs(v, lambda inner: _without(inner, ins)) for k, v in eqn.params.items()})
