"""tf.train.ExponentialMovingAverage: moving averages of variables, in a model_fn and outside of one."""

from collections.abc import Sequence
from typing import Any, final

import jax.numpy as jnp

from stratagem._base.exports import exported
from stratagem._core.values import ShardedVariable, VariableAggregation
from stratagem._ops import tensor
from stratagem._private import KerasVariable
from stratagem._tf1.graph._graph_variable import GraphVariable
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, building_here
from stratagem._tf1.graph._operations import Operation
from stratagem._training import MovingAverages


@exported("train.ExponentialMovingAverage")
@final
class ExponentialMovingAverage:
    """A moving average, average = decay * average + (1 - decay) * variable, which each call of `apply` updates.

    In a model_fn `apply` returns the operation that updates it after a step; elsewhere it does so at once, or in each call of
    the compiled function, on each replica.

    decay: a number, tensor or variable.
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
        self._outside = MovingAverages(decay, num_updates, name)

    @property
    def name(self) -> str:
        """The suffix of the names of the averages."""
        return self._name

    def apply(self, var_list: Sequence[KerasVariable] | None = None) -> Operation | None:
        """Updates the averages of `var_list`; in a model_fn, returns the operation that does, by default for all trainable.

        The averages of new variables are made, with the value from before. Elsewhere there is no list of all variables, as
        in TensorFlow, so without `var_list` nothing happens.

        Raises:
            TypeError: for anything but a variable of floats.
        """
        building = building_here()
        if building is None:
            self._outside.apply(list(var_list or ()))
            return None
        return self._operation(building, var_list)

    def _operation(self, building: ModelBuild, var_list: Sequence[KerasVariable] | None) -> Operation:
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

    def average(self, var: KerasVariable) -> KerasVariable | None:
        """Returns the average of a variable, a variable itself; None unless it was passed to `apply`."""
        return self._averages.get(id(var)) if building_here() is not None else self._outside.average(var)

    def average_name(self, var: KerasVariable) -> str:
        """Returns the name under which the average of a variable is saved, or would be if `apply` were called now."""
        building = building_here()
        if building is None:
            return self._outside.name_of(var)
        self._begin(building)
        average = self.average(var)
        return self._new_name(building, var) if average is None else building.variable_name(average)

    def variables_to_restore(
        self, moving_avg_variables: Sequence[KerasVariable] | None = None
    ) -> dict[str, KerasVariable]:
        """Returns variables by the names of the values to restore into them: of their averages, or of their own.

        moving_avg_variables: those to restore from their averages. Without it, those that have an average; in a model_fn,
        all trainable ones. In a model_fn the other variables follow, under their own names.
        """
        building = building_here()
        if building is None:
            chosen = self._outside.averaged() if moving_avg_variables is None else moving_avg_variables
            return {self.average_name(variable): variable for variable in chosen}
        names = building.collections
        chosen = names[GraphKeys.TRAINABLE_VARIABLES] if moving_avg_variables is None else moving_avg_variables
        found = {self.average_name(variable): variable for variable in chosen}
        from_averages = {id(variable) for variable in chosen}
        for variable in names[GraphKeys.GLOBAL_VARIABLES]:
            if id(variable) not in from_averages:
                found.setdefault(building.variable_name(variable), variable)
        return found

    def _new_name(self, building: ModelBuild, variable: Any) -> str:
        return building.scopes.below(f"{building.variable_name(variable)}/{self._name}")

    def _begin(self, building: ModelBuild) -> None:
        if self._building is not building:  # in each call of the model_fn, an average that outlives it starts anew
            self._building, self._averages = building, {}


def _shadow(variable: Any, name: str) -> GraphVariable:
    return GraphVariable(
        lambda: variable.value, name=name, trainable=False, aggregation=VariableAggregation.ONLY_FIRST_REPLICA
    )
