"""Variables with a slot a replica, as a metric's state: how slots become one value, and one value becomes slots."""

from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.errors import ReductionError


def on_read(variable: Any) -> bool:
    """True for a variable with a slot a replica, reduced when read: a metric's state."""
    return bool(variable.synchronization == "on_read")


def aggregation_of(variable: Any) -> str:
    """How the values of several replicas become one: "sum", "mean" or "only_first_replica".

    Raises ReductionError for a variable of several replicas that has no aggregation, and for SUM of a bool, as TF does.
    """
    if variable.aggregation == "none":
        raise ReductionError(
            f"Variable {variable.path} is synchronized when read but has aggregation NONE: there is no one value to read "
            "outside a replica. Create it with aggregation SUM, MEAN or ONLY_FIRST_REPLICA, or read it inside strategy.run."
        )
    if variable.aggregation == "sum":
        _check_summable(variable)
    return str(variable.aggregation)


def _check_summable(variable: Any) -> None:
    if variable._dtype == "bool":
        raise ReductionError(
            f"Variable {variable.path} is of type bool and has aggregation SUM: truths have no sum. "
            "Use aggregation ONLY_FIRST_REPLICA, or an integer type."
        )


def _mean(slots: jax.Array) -> jax.Array:
    return (jnp.sum(slots, 0) / slots.shape[0]).astype(slots.dtype)


_AGGREGATE = {
    "sum": jax.jit(lambda slots: jnp.sum(slots, 0, dtype=slots.dtype)),
    "mean": jax.jit(_mean),
    "only_first_replica": jax.jit(lambda slots: slots[0]),
}


def aggregate(variable: Any, slots: jax.Array) -> jax.Array:
    """The one value of all slots, an array of shape (replicas, *variable.shape)."""
    return slots[0] if slots.shape[0] == 1 else _AGGREGATE[aggregation_of(variable)](slots)


@jax.jit
def add_to_each(slots: jax.Array, amount: jax.Array) -> jax.Array:
    """Every slot with the amount added to it."""
    return slots + amount


def shares(variable: Any, value: Any, replicas: int) -> list[Any]:
    """What every replica gets of a value that is assigned in cross-replica code.

    For aggregation SUM equal parts that add up to it (what an integer leaves over goes to the first replica), else the value.
    """
    if variable.aggregation != "sum" or replicas == 1:
        return [value] * replicas
    _check_summable(variable)
    value = jnp.asarray(value, dtype=variable._dtype)
    if jnp.issubdtype(value.dtype, jnp.inexact):
        return [value / replicas] * replicas
    part = value // replicas
    return [value - part * (replicas - 1), *[part] * (replicas - 1)]
