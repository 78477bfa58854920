"""with_joined_messages: sums over replicas that do not wait for each other share a message.

On CPUs an all-reduce takes as long for a few bytes as for many. The gradients of a step are summed together already (`_sums`);
its loss, which `strategy.reduce` sums, would be a message of its own.
"""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import core as xc

from stratagem._core.mesh import AXIS
from stratagem._core.rewrites import inlined, size
from stratagem._core.step.collectives._sums import PACKED, packed, unpacked
from stratagem._core.step.differentiation._differentiate import AxisEnv
from stratagem._private import acts, is_literal


def with_joined_messages(closed: xc.ClosedJaxpr, axis_env: AxisEnv, pack_bytes: int) -> xc.ClosedJaxpr:
    """Returns the same program with fewer messages, at its top level.

    Nothing is changed in a program with effects besides its results, whose order might change.

    pack_bytes: the most that a message has, unless a single value is larger.
    """
    if any(map(acts, closed.jaxpr.eqns)):
        return closed
    while together := _independent_sums(closed.jaxpr, pack_bytes):
        closed = xc.ClosedJaxpr(_joined(closed.jaxpr, together, axis_env), closed.consts)
    return closed


def is_sum(eqn: Any) -> bool:
    """Returns whether an equation is the sum of one value over all replicas."""
    if eqn.primitive.name != "psum" or len(eqn.invars) != 1 or is_literal(eqn.invars[0]):
        return False
    return tuple(eqn.params["axes"]) == (AXIS,) and eqn.params["axis_index_groups"] is None


def _independent_sums(jaxpr: Any, pack_bytes: int) -> list[Any]:
    """Returns sums of one dtype of which none needs another, and which fit into a message; none if there are no two."""
    needs: dict[Any, frozenset[int]] = {}  # for each value, by id, the sums that it depends on
    groups: list[list[Any]] = []
    for eqn in jaxpr.eqns:
        needed = frozenset[int]().union(*(needs.get(v, frozenset()) for v in eqn.invars if not is_literal(v)))
        if is_sum(eqn):
            for group in groups:
                fits = eqn.invars[0].aval.dtype == group[0].invars[0].aval.dtype
                if (
                    fits
                    and needed.isdisjoint(map(id, group))
                    and size(e.invars[0] for e in [*group, eqn]) <= pack_bytes
                ):
                    group.append(eqn)
            groups.append([eqn])
            needed |= {id(eqn)}
        if needed:
            needs.update(dict.fromkeys(eqn.outvars, needed))
    return next((group for group in groups if len(group) > 1), [])


def _joined(jaxpr: Any, together: Sequence[Any], axis_env: AxisEnv) -> Any:
    """Returns the program with one message in place of these sums, as late as what it sums is known."""
    packs = _packs_of(jaxpr, together)
    gone = {id(eqn) for eqn in (*together, *packs.values())}
    waiting = {v for eqn in together for v in eqn.outvars}
    before, after = [], []
    for eqn in jaxpr.eqns:
        if id(eqn) in gone:
            continue
        if any(not is_literal(v) and v in waiting for v in eqn.invars):
            waiting.update(eqn.outvars)
            after.append(eqn)
        else:
            before.append(eqn)
    parts = [packs[id(eqn)].invars if id(eqn) in packs else eqn.invars for eqn in together]

    def message(*values: Any) -> list[Any]:
        total = jax.lax.psum(packed(list(values), platform="cpu"), AXIS)
        shapes = [eqn.outvars[0].aval.shape for eqn in together]
        return unpacked(total, shapes)

    operands = [v for values in parts for v in values]
    made = jax.make_jaxpr(message, axis_env=axis_env)(*(v.aval for v in operands))
    joined = inlined(made, operands, [eqn.outvars[0] for eqn in together])
    return jaxpr.replace(eqns=[*before, *joined, *after])


def _packs_of(jaxpr: Any, sums: Sequence[Any]) -> dict[int, Any]:
    """Returns for sums of packed values, by id, the equation that packs them, if nothing else needs the pack."""
    makers = {v: eqn for eqn in jaxpr.eqns if eqn.params.get("name") == PACKED for v in eqn.outvars}
    reads = [v for eqn in jaxpr.eqns for v in eqn.invars if not is_literal(v)] + list(jaxpr.outvars)
    return {id(e): makers[e.invars[0]] for e in sums if e.invars[0] in makers and reads.count(e.invars[0]) == 1}
