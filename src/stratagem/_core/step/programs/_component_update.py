"""`strategy.extended.update` inside a trace: a function of a variable's component on every replica, in cross-replica code."""

from collections.abc import Sequence
from typing import Any

import jax
import keras

from stratagem._base.types import UserFunction
from stratagem._core.context import entered
from stratagem._core.roles import Strategy
from stratagem._core.step.programs._replica_context import enter_strategy, from_replica, to_local
from stratagem._core.step.recording._trace_recorder import capturing
from stratagem._core.values import map_structure, on_read
from stratagem._private import KerasVariable, present_slot


def update_components(
    strategy: Strategy, variable: keras.Variable, fn: UserFunction, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Calls `fn(variable, *args, **kwargs)` once, for all replicas: reads and assignments are those of a replica's component.

    Of a PerReplica in the arguments a replica gets its own value. Returns the result with a PerReplica for every tensor that a
    replica may have for itself: a slot, or one that was computed; a mirrored variable's value is the same for all.
    """
    recorder = capturing()
    enter_strategy(recorder, strategy)
    replicas = strategy.mesh.num_replicas
    args, kwargs = map_structure(lambda leaf: to_local(recorder, leaf), (list(args), dict(kwargs)))

    def given(leaf: Any) -> Any:
        if not isinstance(leaf, KerasVariable):
            return from_replica(leaf, replicas)
        return from_replica(present_slot(leaf), replicas) if on_read(leaf) else jax.numpy.copy(leaf.value)

    with entered(strategy=strategy, updating=True):
        return map_structure(given, fn(variable, *args, **kwargs))
