"""apply_on_servers: an optimizer's update that a step leaves to servers, recorded as a marker in its program."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from stratagem._base.errors import ContextError, UnimplementedError
from stratagem._core.context import recording
from stratagem._core.step import RemoteUpdate
from stratagem._core.values import is_remote
from stratagem._private import computed_settings, is_loss_scaler, known_gradients, untangled_clip
from stratagem._servers.remote._markers import apply_p


def apply_on_servers(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> None:
    """Leaves an update of variables to their servers, within a trace; later code of the step reads the updated values.

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
    recorder = recording()
    grads, variables = known_gradients(optimizer, grads, variables)
    grads = untangled_clip(optimizer, grads)
    grads = _clip_shards_by_norm(optimizer, grads, variables)
    numbers = computed_settings(optimizer)
    update = RemoteUpdate(optimizer, tuple(variables), (optimizer._iterations,), tuple(numbers))
    values = [*update.variables, *update.counted]
    updates = recorder.scope.updates
    name = (len(updates), id(optimizer), *map(id, values))
    updates.append(update)
    # Copies, since a variable's own value is sent to nobody.
    sent = [*grads, *(jnp.copy(number) for number in numbers.values())]
    new = apply_p.bind(*(recorder.value_of(v) for v in values), *sent, count=len(values), update=name)
    for variable, value in zip(values, new, strict=True):
        recorder.write(variable, value)


def _clip_shards_by_norm(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> list[Any]:
    """Applies `clipnorm` to gradients of sharded variables, by the norm over all shards, which no single server knows."""
    shards: dict[int, list[int]] = {}
    for i, variable in enumerate(variables):
        if variable._sharded_variable is not None:
            shards.setdefault(id(variable._sharded_variable), []).append(i)
    clipped, max_norm = list(grads), optimizer.clipnorm
    if not max_norm or max_norm <= 0 or not shards:
        return clipped
    if optimizer.gradient_accumulation_steps:
        raise UnimplementedError(
            f"{optimizer.name}: clipnorm with gradient_accumulation_steps needs the sum of all gradients of a variable in one "
            "place, and shards are on several servers. Use clipvalue, or leave variables in one piece."
        )
    max_norm *= optimizer.loss_scale_factor or 1.0  # Keras divides the gradients by it first
    for indices in shards.values():
        norm = jnp.sqrt(sum(jnp.sum(jnp.square(grads[i])) for i in indices))
        for i in indices:
            clipped[i] = grads[i] * (max_norm / jnp.maximum(norm, max_norm))
    return clipped
