"""with_exchanges: two workers on CPUs send each other what is to be summed, in place of an all-reduce."""

from typing import Any

import jax
from jax.extend import core as xc

from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.rewrites import inlined
from stratagem._core.step.programs._joined_messages import is_sum

_EACH_OTHER = ((0, 1), (1, 0))


def with_exchanges(closed: xc.ClosedJaxpr, mesh: ReplicaMesh) -> xc.ClosedJaxpr:
    """Returns the program that computes the same sums, at its top level, with one message each way.

    gloo's all-reduce goes round a ring, in parts, each of which two threads wait for: between two workers 512 KiB take 2.7 ms
    that way and 1.1 as an exchange, with the same bytes (`benchmarks/all_reduce.py`). Both workers get the same bits, because
    an addition does not depend on the order of its operands. It comes last: of an exchange no analysis knows that its sum is
    equal on all replicas.
    """
    two = mesh.num_replicas == mesh.job.workers == 2
    if not two or mesh.devices[0].platform != "cpu":
        return closed
    eqns = [new for eqn in closed.jaxpr.eqns for new in (_exchange(eqn) if is_sum(eqn) else (eqn,))]
    return xc.ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts)


def _exchange(eqn: Any) -> list[Any]:
    def both(value: jax.Array) -> jax.Array:
        return value + jax.lax.ppermute(value, AXIS, _EACH_OTHER)

    made = jax.make_jaxpr(both, axis_env=[(AXIS, len(_EACH_OTHER))])(eqn.invars[0].aval)
    return list(inlined(made, eqn.invars, eqn.outvars))
