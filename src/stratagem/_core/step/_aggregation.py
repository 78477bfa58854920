"""What a variable's aggregation does inside a trace: replicas' values become one, and one value becomes theirs."""

from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.mesh import AXIS
from stratagem._core.step._sums import from_first_replica, unfolded
from stratagem._core.values import aggregation_of, shares


def as_one(variable: Any, value: Any) -> Any:
    """The one value of what each replica has or assigns, in its type: a collective.

    Raises ReductionError for a variable that is synchronized when read and has aggregation NONE.
    """
    aggregation = aggregation_of(variable)
    if aggregation == "only_first_replica":
        return from_first_replica(value)
    total = jax.lax.psum(unfolded(value), AXIS)
    return total if aggregation == "sum" else (total / jax.lax.axis_size(AXIS)).astype(value.dtype)


def own_share(variable: Any, value: Any, replicas: int) -> Any:
    """What this replica has of a sync-on-read variable to which cross-replica code assigns `value`."""
    first, other, *_ = shares(variable, value, replicas)
    return value if first is value else jnp.where(jax.lax.axis_index(AXIS) == 0, first, other)
