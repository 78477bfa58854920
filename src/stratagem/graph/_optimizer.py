"""tf1.train.Optimizer: gradients of a loss now, their application as an operation for later."""

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import jax.numpy as jnp
import keras

from stratagem._context import current
from stratagem._errors import TapeError
from stratagem.graph._building import Building, current_building
from stratagem.graph._keys import GraphKeys
from stratagem.graph._operations import Operation
from stratagem.values import IndexedSlices

Pairs = list[tuple[Any, Any]]


class Rule(keras.optimizers.Optimizer):  # type: ignore[misc]
    """How an optimizer of TensorFlow 1 changes one variable, as a Keras optimizer: every strategy knows what to do with it.

    rates: learning rate, momentum and so on by name, numbers or, while a step is traced, tensors. slots: (name, first value)
    of what is kept for each variable.
    """

    slots: ClassVar[tuple[str, ...]] = ()

    def __init__(self, rates: dict[str, Any], name: str) -> None:
        super().__init__(learning_rate=lambda: self.rates["learning_rate"], name=name)
        self.rates = rates
        self.kept: dict[str, list[Any]] = {}

    def build(self, variables: list[Any]) -> None:
        """Make what is kept for each variable."""
        super().build(variables)
        self.kept = {slot: self.add_optimizer_variables(variables, slot, self.first(slot)) for slot in self.slots}

    def first(self, slot: str) -> Any:
        """The initializer of a slot."""
        return "zeros"

    def slot(self, name: str, variable: Any) -> Any:
        """What is kept under this name for the variable."""
        return self.kept[name][self._get_variable_index(variable)]

    def rate(self, name: str, variable: Any) -> Any:
        """A rate in the variable's type."""
        return jnp.asarray(self.rates[name], variable.dtype)


class Optimizer(abc.ABC):
    """Base of the optimizers, as `tf.compat.v1.train.Optimizer`. They work inside a model_fn.

    use_locking does nothing: an update is never seen in part. name: what names of slots end in.
    """

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._rules: dict[tuple[int, ...], Rule] = {}

    @abc.abstractmethod
    def _rates(self) -> dict[str, Any]:
        """Learning rate and the like by name."""

    @abc.abstractmethod
    def _rule(self, rates: dict[str, Any]) -> Rule:
        """A new rule."""

    def get_name(self) -> str:
        """The name."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """The operation that makes `loss` smaller and adds one to `global_step`.

        Raises ValueError if the loss depends on none of the variables.
        """
        pairs = self.compute_gradients(loss, var_list, gate_gradients, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, between "
                f"variables {[v.name for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Pairs:
        """(gradient, variable) for every variable of `var_list`, else all trainable ones; None where there is no path.

        Of several replicas each has its part: the loss counts as a mean over replicas, unless the last loss of tf1.losses was
        a sum.
        """
        building = current_building()
        if building.tape is None:
            raise TapeError(
                f"{self._name}: gradients exist inside a step only, which an Estimator makes of a model_fn."
            )
        variables = list(building.collections[GraphKeys.TRAINABLE_VARIABLES] if var_list is None else var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        loss = scaled_loss(building, loss() if callable(loss) else loss)
        return list(zip(building.tape.gradient(loss, variables, grad_loss), variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """The operation that applies gradients, summed over replicas, and then adds one to `global_step`.

        Raises ValueError if there is no gradient.
        """
        pairs = [(g, v) for g, v in grads_and_vars]
        known = [(_dense(g, v), v) for g, v in pairs if g is not None]
        if not known:
            raise ValueError(f"No gradients provided for any variable: {[getattr(v, 'name', v) for _, v in pairs]}.")
        rule = self._rule_of([v for _, v in pairs])
        rates = {key: value() if callable(value) else value for key, value in self._rates().items()}

        def update() -> None:
            before, rule.rates = rule.rates, rates
            try:
                rule.apply([g for g, _ in known], [v for _, v in known])
            finally:
                rule.rates = before
            if global_step is not None:
                global_step.assign_add(1)

        operation = Operation(name or self._name, update)
        current_building().collections[GraphKeys.TRAIN_OP].append(operation)
        return operation

    def _rule_of(self, variables: list[Any]) -> Rule:
        """The rule for these variables: that of an earlier trace of the same code, if there was one."""
        key = tuple(map(id, variables))
        if key not in self._rules:
            building = current_building()
            place = building.scopes.unique_name(f"{self._name}/rule")
            self._rules[key] = building.graph.kept(place, lambda: self._built(variables))
            _list_slots(building, self._rules[key], variables, self._name)
        return self._rules[key]

    def _built(self, variables: list[Any]) -> Rule:
        numbers = {k: v for k, v in self._rates().items() if isinstance(v, int | float)}
        rule = self._rule(numbers)
        rule.build(variables)
        return rule


def _list_slots(building: Building, rule: Rule, variables: list[Any], name: str) -> None:
    """Slots are variables of the graph, under TensorFlow's names."""
    listed = {id(v) for v in building.graph.variables.values()}
    for variable in variables:
        base = f"{variable.name.removesuffix(':0')}/{name}"
        for slot in (rule.slot(s, variable) for s in rule.slots):
            if id(slot) not in listed:
                free = (base, *(f"{base}_{i}" for i in range(1, 100)))
                building.graph.variables[next(n for n in free if n not in building.graph.variables)] = slot


def scaled_loss(building: Building, loss: Any) -> Any:
    """This replica's part of a loss that is the mean over replicas; the loss itself if it is to be summed."""
    replica = current().replica
    if replica is None or replica.num_replicas_in_sync == 1 or building.loss_reduction == "weighted_sum":
        return loss
    return loss * (1.0 / replica.num_replicas_in_sync)


def _dense(gradient: Any, variable: Any) -> Any:
    if not isinstance(gradient, IndexedSlices):
        return gradient
    rows = jnp.asarray(gradient.values)
    return jnp.zeros(variable.shape, rows.dtype).at[jnp.asarray(gradient.indices)].add(rows)


Rate = float | Callable[[], Any] | Any
