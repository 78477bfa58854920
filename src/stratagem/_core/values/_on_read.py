"""Variables with a slot for each replica, such as a metric's state: how slots become one value, and one value slots."""

from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._base.errors import ReductionError


def on_read(variable: keras.Variable) -> bool:
    """Returns whether a variable has a slot for each replica and is reduced when read, as a metric's state is."""
    return bool(variable.synchronization == "on_read")


def aggregation_of(variable: Any) -> str:
    """Returns how the values of several replicas become one: "sum", "mean" or "only_first_replica".

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
    """Returns the aggregate of all slots, which are an array of shape (replicas, *variable.shape)."""
    return slots[0] if slots.shape[0] == 1 else _AGGREGATE[aggregation_of(variable)](slots)


@jax.jit
def add_to_each(slots: jax.Array, amount: jax.Array) -> jax.Array:
    """Returns the slots with the amount added to each."""
    return slots + amount


def shares(variable: Any, value: Any, replicas: int) -> list[Any]:
    """Returns each replica's part of a value that is assigned in cross-replica code.

    For aggregation SUM these are equal parts that add up to the value (the remainder of an integer goes to the first
    replica); otherwise each is the value.
    """
    if variable.aggregation != "sum" or replicas == 1:
        return [value] * replicas
    _check_summable(variable)
    value = jnp.asarray(value, dtype=variable._dtype)
    if jnp.issubdtype(value.dtype, jnp.inexact):
        return [value / replicas] * replicas
    part = value // replicas
    return [value - part * (replicas - 1), *[part] * (replicas - 1)]
