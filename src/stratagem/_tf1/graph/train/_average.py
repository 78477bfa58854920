"""tf1.train.ExponentialMovingAverage: moving averages of variables."""

from collections.abc import Sequence
from typing import Any, final

import jax.numpy as jnp

from stratagem._core.values import ShardedVariable, VariableAggregation
from stratagem._ops import tensor
from stratagem._private import KerasVariable
from stratagem._tf1.graph._graph_variable import GraphVariable
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, building_here, current_building
from stratagem._tf1.graph._operations import Operation


@final
class ExponentialMovingAverage:
    """A moving average, average = decay * average + (1 - decay) * variable, updated after each step.

    num_updates: a tensor that limits the decay to (1 + num_updates) / (10 + num_updates).
    zero_debias: ignored; it is for averages of tensors, which are not supported.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._averages: dict[int, Any] = {}
        self._building: ModelBuild | None = None

    @property
    def name(self) -> str:
        """The suffix of the names of the averages."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> Operation:
        """Returns the operation that updates the averages of `var_list`, by default of all trainable variables.

        Raises TypeError for anything but a variable.
        """
        building = current_building()
        self._begin(building)
        chosen = building.collections[GraphKeys.TRAINABLE_VARIABLES] if var_list is None else var_list
        for variable in chosen:
            if not isinstance(variable, KerasVariable | ShardedVariable):
                raise TypeError(f"{self._name}: averages are kept of variables, not of {variable!r}.")
            if id(variable) not in self._averages:
                name = building.scopes.unique(self._new_name(building, variable))
                average = building.graph.variable(name, lambda v=variable, n=name: _shadow(v, n))
                building.declare(name, average)
                self._averages[id(variable)] = average
        pairs = [(variable, self._averages[id(variable)]) for variable in chosen]

        def update() -> None:
            decay = tensor(self._decay)
            if self._num_updates is not None:
                count = tensor(self._num_updates).astype(jnp.float32)
                decay = jnp.minimum(decay, (1 + count) / (10 + count))
            for variable, average in pairs:
                average.assign_sub((average.value - variable.value) * (1 - decay).astype(average.dtype))

        return Operation(self._name, update)

    def average(self, var: Any) -> Any:
        """Returns the average of a variable; None unless it was passed to `apply`."""
        return self._averages.get(id(var))

    def average_name(self, var: Any) -> str:
        """Returns the name under which the average of a variable is saved, or would be if `apply` were called now."""
        building = building_here()
        if building is None:
            return f"{var.name.removesuffix(':0')}/{self._name}"
        self._begin(building)
        average = self.average(var)
        return self._new_name(building, var) if average is None else building.variable_name(average)

    def _new_name(self, building: ModelBuild, variable: Any) -> str:
        return building.scopes.below(f"{building.variable_name(variable)}/{self._name}")

    def _begin(self, building: ModelBuild) -> None:
        if self._building is not building:  # in each call of the model_fn, an average that outlives it starts anew
            self._building, self._averages = building, {}


def _shadow(variable: Any, name: str) -> GraphVariable:
    return GraphVariable(
        lambda: variable.value, name=name, trainable=False, aggregation=VariableAggregation.ONLY_FIRST_REPLICA
    )
