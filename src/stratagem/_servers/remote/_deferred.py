"""An optimizer's update that a step leaves to servers, as a marker in its program."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from stratagem._base.errors import ContextError, UnimplementedError
from stratagem._core.context import recording
from stratagem._core.step import RemoteUpdate
from stratagem._core.values import is_remote
from stratagem._private import is_loss_scaler, known_gradients, untangled_clip
from stratagem._servers.remote._markers import apply_p


def apply_on_servers(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> None:
    """In a trace: leave an update of served variables to their servers; what follows reads the values after it.

    Raises:
        ContextError: for an optimizer whose variables are on no server.
        UnimplementedError: for an optimizer that needs all gradients in one place.
        ValueError: if there is no gradient at all.
    """
    if is_loss_scaler(optimizer):
        raise UnimplementedError(
            f"{optimizer.name}: LossScaleOptimizer decides on all gradients together whether a step counts, which no server "
            "sees. Use bfloat16 (`mixed_bfloat16`), which needs no loss scaling."
        )
    if not is_remote(optimizer._iterations):
        raise ContextError(
            f"{optimizer.name} was created outside of strategy.scope() and updates variables on parameter servers: create it "
            "within `with strategy.scope():`, as the model."
        )
    capture = recording()
    grads, variables = known_gradients(optimizer, grads, variables)
    grads = untangled_clip(optimizer, grads)
    grads = _clipped_together(optimizer, grads, variables)
    update = RemoteUpdate(optimizer, tuple(variables), (optimizer._iterations,))
    values = [*update.variables, *update.counted]
    updates = capture.scope.updates
    name = (len(updates), id(optimizer), *map(id, values))
    updates.append(update)
    new = apply_p.bind(*(capture.value_of(v) for v in values), *grads, count=len(values), update=name)
    for variable, value in zip(values, new, strict=True):
        capture.write(variable, value)


def _clipped_together(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> list[Any]:
    """The gradients after `clipnorm` of what is in shards: by the norm over all of them, which no server sees."""
    shards: dict[int, list[int]] = {}
    for i, variable in enumerate(variables):
        if variable._of is not None:
            shards.setdefault(id(variable._of), []).append(i)
    clipped, most = list(grads), optimizer.clipnorm
    if not most or most <= 0 or not shards:
        return clipped
    if optimizer.gradient_accumulation_steps:
        raise UnimplementedError(
            f"{optimizer.name}: clipnorm with gradient_accumulation_steps needs the sum of all gradients of a variable in one "
            "place, and shards are on several servers. Use clipvalue, or leave variables in one piece."
        )
    most *= optimizer.loss_scale_factor or 1.0  # by which Keras divides first
    for those in shards.values():
        norm = jnp.sqrt(sum(jnp.sum(jnp.square(grads[i])) for i in those))
        for i in those:
            clipped[i] = grads[i] * (most / jnp.maximum(norm, most))
    return clipped
