"""The variables of a graph: tf.Variable, but what assigns them inside a model_fn is an operation."""

from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._context import current
from stratagem.graph._operations import assign, assign_add, assign_sub
from stratagem.values import Variable


@final
@dataclass(frozen=True)
class VariableOp:
    """What `variable.op` is asked for: the variable's name without ":0"."""

    name: str
    type: str = "VarHandleOp"


@final
class GraphVariable(Variable):
    """A variable of a graph: inside a model_fn its `assign` is an operation, which runs when what depends on it does."""

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

    @property
    def op(self) -> VariableOp:
        """What has the variable's name without ":0"."""
        return VariableOp(self.name.removesuffix(":0"))

    def initialized_value(self) -> jax.Array:
        """The present value: variables have one as soon as they are made."""
        return self.read_value()


def _defers() -> bool:
    building = current().graph
    return building is not None and not building.running
