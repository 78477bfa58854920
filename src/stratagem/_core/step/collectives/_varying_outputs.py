"""Finds the outputs of a program that are varying between replicas, as JAX does in its own check of replication."""

from collections.abc import Sequence
from typing import Any

from jax.extend import core as xc

from stratagem._base.errors import DivergenceError
from stratagem._core.mesh import AXIS
from stratagem._core.step.collectives._shards import OF_EQUAL_VALUES
from stratagem._private import is_literal, line_of, sub_jaxprs

# Each is a message to all other replicas.
EQUALIZING = {"psum", "pmax", "pmin", "all_gather", "psum_invariant", "all_gather_invariant"}
COLLECTIVES = EQUALIZING | {"reduce_scatter", "all_to_all", "ppermute"}
OWN = {"axis_index", "ppermute", "all_to_all", "reduce_scatter", "psum_scatter", "io_callback"}


def varying_outputs(closed: xc.ClosedJaxpr, varying: Sequence[bool]) -> list[bool]:
    """Returns for every output whether it may differ between replicas, given the same for every input.

    Raises DivergenceError for shards of a value that may differ: together they are no replica's value.
    """
    return _outputs(closed.jaxpr, list(varying), shards=True)


def _check_same_path(eqn: Any, varies: bool, bodies: Sequence[Any]) -> None:
    """Raises DivergenceError for a collective where some replicas come, and others may not."""
    if varies and any(map(_communicates, bodies)):
        raise DivergenceError(
            f"{line_of(eqn)}: a collective (all_reduce, or apply_gradients, which sums the gradients) is in a branch or loop "
            "that every replica decides about by itself: those that come there would wait for the others for ever. "
            "Decide on a value that is equal on all replicas, for example on its all_reduce."
        )


def _communicates(jaxpr: Any) -> bool:
    return any(e.primitive.name in COLLECTIVES or any(map(_communicates, sub_jaxprs(e.params))) for e in jaxpr.eqns)


def _outputs(jaxpr: Any, varying: Sequence[bool], shards: bool) -> list[bool]:
    differs = {v for v, varies in zip(jaxpr.invars, varying, strict=True) if varies}
    for eqn in jaxpr.eqns:
        ins = [not is_literal(v) and v in differs for v in eqn.invars]
        outs = varying_results(eqn, ins, shards)
        differs.update(v for v, varies in zip(eqn.outvars, outs, strict=True) if varies)
    return [not is_literal(v) and v in differs for v in jaxpr.outvars]


def _over_replicas(params: dict[str, Any]) -> bool:
    names = params.get("axes", params.get("axis_name", ()))
    return AXIS in (names if isinstance(names, tuple) else (names,))


def varying_results(eqn: Any, ins: list[bool], shards: bool = False) -> list[bool]:
    """Returns for every result of an equation whether it may differ between replicas, given the same for its operands.

    shards: shards of a value that may differ are an error.
    """
    name, params = eqn.primitive.name, eqn.params
    if name in EQUALIZING and _over_replicas(params) and params.get("axis_index_groups") is None:
        return [False] * len(eqn.outvars)
    if shards and ins and ins[0] and params.get("name") in OF_EQUAL_VALUES:
        raise DivergenceError(
            f"{line_of(eqn)}: a variable of which every replica keeps one shard (shard_optimizer_state=True) would get a "
            "different value on every replica. Reduce the value, or the gradients, first "
            "(tf.distribute.get_replica_context().all_reduce)."
        )
    if name in OWN:
        return [True] * len(eqn.outvars)
    if name == "scan":
        return _scan(params, ins, shards)
    if name == "while":
        return _while(eqn, ins, shards)
    if name == "cond":
        _check_same_path(eqn, ins[0], [b.jaxpr for b in params["branches"]])
        branches = [_outputs(b.jaxpr, ins[1:], shards) for b in params["branches"]]
        return [ins[0] or any(outs) for outs in zip(*branches, strict=True)]
    inner = list(sub_jaxprs(params))
    if len(inner) == 1 and len(inner[0].invars) == len(ins) and len(inner[0].outvars) == len(eqn.outvars):
        return _outputs(inner[0], ins, shards)
    varies = any(ins) or any(e.primitive.name in OWN for j in inner for e in j.eqns)
    return [varies] * len(eqn.outvars)


def _scan(params: dict[str, Any], ins: list[bool], shards: bool) -> list[bool]:
    consts, carries = params["num_consts"], params["num_carry"]
    carry = ins[consts : consts + carries]
    while True:
        outs = _outputs(params["jaxpr"].jaxpr, [*ins[:consts], *carry, *ins[consts + carries :]], shards)
        new = [a or b for a, b in zip(carry, outs[:carries], strict=True)]
        if new == carry:
            return [*new, *outs[carries:]]
        carry = new


def _while(eqn: Any, ins: list[bool], shards: bool) -> list[bool]:
    params = eqn.params
    in_cond, in_body = params["cond_nconsts"], params["body_nconsts"]
    carry = ins[in_cond + in_body :]
    while True:
        outs = _outputs(params["body_jaxpr"].jaxpr, [*ins[in_cond : in_cond + in_body], *carry], shards)
        stops = _outputs(params["cond_jaxpr"].jaxpr, [*ins[:in_cond], *carry], shards)[0]
        new = [stops or a or b for a, b in zip(carry, outs, strict=True)]
        if new == carry:
            _check_same_path(eqn, stops, [params["body_jaxpr"].jaxpr, params["cond_jaxpr"].jaxpr])
            return new
        carry = new
