"""The aggregation of variables inside a trace: from the replicas' values to one, and from one to the replicas'."""

from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.context import current
from stratagem._core.mesh import AXIS
from stratagem._core.step.collectives._sums import from_first_replica, psum, unfolded
from stratagem._core.values import aggregation_of, shares


def as_one(variable: Any, value: Any) -> Any:
    """Reduces the values that replicas have or assign to one, of the same dtype, by a collective.

    Raises ReductionError for a variable that is synchronized when read and has aggregation NONE.
    """
    aggregation = aggregation_of(variable)
    if aggregation == "only_first_replica":
        return from_first_replica(value)
    total = psum(unfolded(value))
    return total if aggregation == "sum" else (total / jax.lax.axis_size(AXIS)).astype(value.dtype)


def own_share(variable: Any, value: Any, replicas: int) -> Any:
    """Returns this replica's slot of a sync-on-read variable to which cross-replica code assigns `value`."""
    first, other, *_ = shares(variable, value, replicas)
    return value if first is value else jnp.where(jax.lax.axis_index(AXIS) == 0, first, other)


def furthest_seed(state: jax.Array) -> jax.Array:
    """Returns the state of a seed generator, uint32 (2,), that has drawn most, on every replica.

    In a branch or loop that replicas decide about by themselves some draw more often than others.
    """
    recorder = current().recorder
    alone = recorder is None or recorder.mesh.num_replicas == 1 or current().replica is None
    return state if alone else jax.lax.pmax(unfolded(state), AXIS)
