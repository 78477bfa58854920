"""The variables of a graph: a tf.Variable whose assignments inside a model_fn are operations."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._core.values import IndexedSlices, Variable
from stratagem._tf1.graph._model_build import building_here, current_building
from stratagem._tf1.graph._operations import Operation, assign, assign_add, assign_sub


@final
@dataclass(frozen=True)
class VariableOp:
    """The result of `variable.op`: the variable's name without ":0"."""

    name: str
    type: str = "VarHandleOp"


@final
class GraphVariable(Variable):
    """A variable of a graph.

    Inside a model_fn its assignments are operations, which run when an operation that depends on them does.
    """

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Sets the value. Inside a model_fn, returns an operation that does."""
        if _defers():
            return assign(self, value)
        return super().assign(value, use_locking, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`. Inside a model_fn, returns an operation that does."""
        if _defers():
            return assign_add(self, delta)
        return super().assign_add(delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`. Inside a model_fn, returns an operation that does."""
        if _defers():
            return assign_sub(self, delta)
        return super().assign_sub(delta, use_locking, name, read_value)

    def read_value(self) -> jax.Array:
        """Returns the value; inside a model_fn, after the operations of the open `control_dependencies`."""
        if _defers():
            building = current_building()
            building.run_dependencies()
            if building.owner is not None and building.dependencies:  # a tensor of its own, which depends on them
                return jax.numpy.copy(super().read_value())
        return super().read_value()

    def _scatter(self, how: str, slices: IndexedSlices) -> Any:
        return self._later("Scatter", functools.partial(super()._scatter, how, slices))

    def _scatter_nd(self, how: str, indices: Any, updates: Any) -> Any:
        return self._later("ScatterNd", functools.partial(super()._scatter_nd, how, indices, updates))

    def _later(self, name: str, change: Callable[[], Any]) -> Any:
        """Returns `change()`, or, inside a model_fn, an operation that calls it and whose result is the new value."""
        return Operation(name, lambda: change().value) if _defers() else change()

    @property
    def op(self) -> VariableOp:
        """An object whose name is that of the variable without ":0"."""
        return VariableOp(self.name.removesuffix(":0"))

    def initialized_value(self) -> jax.Array:
        """Returns the current value: a variable has one as soon as it exists."""
        return super().read_value()

    def eval(self, session: Any = None) -> np.ndarray:
        """Returns the variable's value in a session, by default the one that is open."""
        found: np.ndarray = current_building().owner.evaluated(self, None, session)
        return found

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the variable's value in a session, by default the one that is open.

        Raises:
            ValueError: there is none.
        """
        if session is None:
            owner = current_building().owner
            if owner is None:
                raise ValueError(
                    f"Cannot load a value of {self.name}: no default session is registered. A hook gives its own: "
                    "variable.load(value, run_context.session). A model_fn has none: there, give the variable an initial value."
                )
            session = owner.session()
        session.load(self, value)

    @property
    def initializer(self) -> Operation:  # type: ignore[override]
        """The operation that gives the variable its first value; in a graph."""
        building = current_building()
        return Operation(f"{self.name.removesuffix(':0')}/Assign", lambda: building.effects.on_host(_initialize(self)))


def _initialize(variable: GraphVariable) -> Callable[[Any, Any], None]:
    return lambda session, fed: session.initialize([variable], fed)


def _defers() -> bool:
    building = building_here()
    return building is not None and not building.running
