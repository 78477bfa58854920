"""The variables of a graph: tf.Variable, but what assigns them inside a model_fn is an operation."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._core.values import IndexedSlices, Variable
from stratagem._tf1.graph._building import building_here, current_building
from stratagem._tf1.graph._operations import Operation, assign, assign_add, assign_sub


@final
@dataclass(frozen=True)
class VariableOp:
    """What `variable.op` is asked for: the variable's name without ":0"."""

    name: str
    type: str = "VarHandleOp"


@final
class GraphVariable(Variable):
    """A variable of a graph: inside a model_fn what changes it is an operation, which runs when what depends on it does."""

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Set the value. Inside a model_fn: the operation that will."""
        if _defers():
            return assign(self, value)
        return super().assign(value, use_locking, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add `delta`. Inside a model_fn: the operation that will."""
        if _defers():
            return assign_add(self, delta)
        return super().assign_add(delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract `delta`. Inside a model_fn: the operation that will."""
        if _defers():
            return assign_sub(self, delta)
        return super().assign_sub(delta, use_locking, name, read_value)

    def read_value(self) -> jax.Array:
        """The value. Inside a model_fn: after the operations that the open `control_dependencies` name."""
        if _defers():
            current_building().run_dependencies()
        return super().read_value()

    def _scatter(self, how: str, slices: IndexedSlices) -> Any:
        return self._later("Scatter", functools.partial(super()._scatter, how, slices))

    def _scatter_nd(self, how: str, indices: Any, updates: Any) -> Any:
        return self._later("ScatterNd", functools.partial(super()._scatter_nd, how, indices, updates))

    def _later(self, name: str, change: Callable[[], Any]) -> Any:
        """What `change()` gives; inside a model_fn the operation that does it, whose result is the new value."""
        return Operation(name, lambda: change().value) if _defers() else change()

    @property
    def op(self) -> VariableOp:
        """What has the variable's name without ":0"."""
        return VariableOp(self.name.removesuffix(":0"))

    def initialized_value(self) -> jax.Array:
        """The present value: variables have one as soon as they are made."""
        return super().read_value()


def _defers() -> bool:
    building = building_here()
    return building is not None and not building.running
