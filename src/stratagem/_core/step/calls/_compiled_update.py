"""Eager updates: an optimizer's gradients, applied outside of steps as one compiled program, not operation by operation."""

from collections.abc import Hashable, Sequence
from typing import Any

import jax

from stratagem._core.context import current, recording
from stratagem._core.step.calls._execute import execute
from stratagem._core.step.calls._function import default_mesh
from stratagem._core.step.keys._program_keys import IdentityKey
from stratagem._core.values import placement_of
from stratagem._private import KerasVariable, OutsideOfTraces, in_stateless_scope, runs_at_once


def applied_at_once(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> bool:
    """Applies gradients in one program, outside of every strategy and step; returns False where that is not possible."""
    context = current()
    inside = (context.recorder, context.replica, context.strategy, context.worker, context.graph)
    if any(x is not None for x in inside) or in_stateless_scope() or not runs_at_once():
        return False
    if not all(isinstance(g, jax.Array) for g in grads) or not all(map(_is_plain, variables)):
        return False

    def apply(given: Sequence[Any]) -> None:
        recording().follows_settings = True
        optimizer.apply(given, variables)

    key: tuple[Hashable, ...] = ("apply_gradients", IdentityKey(optimizer), *map(id, variables))
    with OutsideOfTraces():
        execute(apply, key, f"{optimizer.name}.apply_gradients", (list(grads),), {}, default_mesh())
    return True


def _is_plain(variable: Any) -> bool:
    """Returns whether a variable belongs to no strategy."""
    if not isinstance(variable, KerasVariable):
        return False
    placement = placement_of(variable)
    return placement is None or placement.strategy is None
