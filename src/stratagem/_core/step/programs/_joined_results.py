"""The primitive `joined`: the results of a compiled function that a step calls, to its tapes those of one operation."""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import core as xc
from jax.interpreters import ad, batching

from stratagem._core.context import current
from stratagem._core.eager import is_inexact
from stratagem._core.values import is_per_replica
from stratagem._private import map_jaxprs, sub_jaxprs

# joined(*values) are the values. To a tape each depends on all that any of them depends on: in TensorFlow the gradient of one
# result by what only another result depends on is zero, and not None, as a function differentiates its results together.
joined_p = xc.Primitive("joined")
joined_p.multiple_results = True
joined_p.def_impl(lambda *values: list(values))
joined_p.def_abstract_eval(lambda *values: list(values))


def _jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    return joined_p.bind(*primals), list(tangents)


def _batched(values: Sequence[Any], dimensions: Sequence[Any]) -> tuple[Any, Any]:
    return joined_p.bind(*values), list(dimensions)


ad.primitive_jvps[joined_p] = _jvp
batching.primitive_batchers[joined_p] = _batched


def joined(result: Any) -> Any:
    """Returns the result of a compiled function: if a tape is open in the step, with its tensors joined."""
    recorder = current().recorder
    if recorder is None or not recorder.tapes:
        return result
    leaves, structure = jax.tree.flatten(result, is_leaf=is_per_replica)
    places = [i for i, v in enumerate(leaves) if isinstance(v, jax.core.Tracer) and is_inexact(v)]
    if len(places) > 1:
        for place, value in zip(places, joined_p.bind(*(leaves[i] for i in places)), strict=True):
            leaves[place] = value
    return jax.tree.unflatten(structure, leaves)


def without_joined(closed: xc.ClosedJaxpr) -> xc.ClosedJaxpr:
    """Returns a differentiated program, in which nothing has to be joined any more: it would seem to depend on too much."""
    return xc.ClosedJaxpr(_without_joined(closed.jaxpr), closed.consts) if _has_joined(closed.jaxpr) else closed


def _has_joined(jaxpr: xc.Jaxpr) -> bool:
    return any(e.primitive is joined_p or any(map(_has_joined, sub_jaxprs(e.params))) for e in jaxpr.eqns)


def _without_joined(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    names: dict[Any, Any] = {}

    def renamed(atoms: Sequence[Any]) -> list[Any]:
        return [atom if isinstance(atom, xc.Literal) else names.get(atom, atom) for atom in atoms]

    eqns = []
    for eqn in jaxpr.eqns:
        if eqn.primitive is joined_p:
            names.update(zip(eqn.outvars, renamed(eqn.invars), strict=True))
        else:
            params = {k: map_jaxprs(v, _without_joined) for k, v in eqn.params.items()}
            eqns.append(eqn.replace(invars=renamed(eqn.invars), params=params))
    return jaxpr.replace(eqns=eqns, outvars=renamed(jaxpr.outvars))
