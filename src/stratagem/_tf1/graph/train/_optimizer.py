"""tf1.train.Optimizer: gradients are computed at once, and applied by an operation that runs later."""

import abc
import contextlib
import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import TapeError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.values import IndexedSlices, shards
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, SlotNaming, current_building
from stratagem._tf1.graph._operations import Operation
from stratagem._tf1.graph.losses import Reduction
from stratagem._tf1.graph.train._rule import Rule

Pairs = list[tuple[Any, Any]]

# A number, a tensor, or a callable that returns one.
Rate = Any


@exported(v1=["train.Optimizer"])
class Optimizer(abc.ABC):
    """Base of the optimizers, as `tf.compat.v1.train.Optimizer`. They work inside a model_fn.

    use_locking: ignored; updates are always atomic. name: the suffix of the names of slots.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    _rates: dict[str, Rate]  # learning rate and the like, by name

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._used: dict[tuple[int, ...], Rule] = {}

    @abc.abstractmethod
    def _rule(self, rates: dict[str, float]) -> Rule:
        """Returns a new update rule. rates: those of `_rates` that are numbers."""

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots."""
        return sorted({slot for rule in self._used.values() for slot in rule.slots})

    def get_slot(self, var: Any, name: str) -> Any:
        """Returns the slot of this name of a variable; None if there is none."""
        for rule in self._used.values():
            if name in rule.slots and any(v is var for v in rule._trainable_variables):
                return rule.slot(name, var)
        return None

    def variables(self) -> list[Any]:
        """Returns all slots."""
        return [slot for rule in self._used.values() for slots in rule.kept.values() for slot in slots]

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """Returns the operation that minimizes `loss` and adds one to `global_step`.

        Raises ValueError if the loss depends on none of the variables.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, between "
                f"variables {[v.name for _, v in pairs]} and the loss."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Pairs:
        """Returns (gradient, variable) for every variable of `var_list`, by default all trainable ones.

        The gradient is None where the loss does not depend on the variable. With several replicas it is this replica's part:
        the loss counts as a mean over replicas, unless the last loss of tf1.losses was a sum.
        """
        building = current_building()
        if building.tape is None:
            raise TapeError(
                f"{self._name}: gradients exist inside a compiled step only; an Estimator makes one of the model_fn."
            )
        chosen = building.collections[GraphKeys.TRAINABLE_VARIABLES] if var_list is None else var_list
        variables = [shard for variable in chosen for shard in shards(variable)]
        if not variables:
            raise ValueError("No variables to optimize.")
        loss = scaled_loss(building, loss() if callable(loss) else loss)
        return list(zip(building.tape.gradient(loss, variables, grad_loss), variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Returns the operation that applies gradients, summed over replicas, and then adds one to `global_step`.

        grads_and_vars: a gradient may be IndexedSlices, or None to leave the variable unchanged.
        Raises ValueError if there is no gradient.
        """
        pairs = list(grads_and_vars)
        known = [(g, v) for g, v in pairs if g is not None]
        if not known:
            raise ValueError(f"No gradients provided for any variable: {[getattr(v, 'name', v) for _, v in pairs]}.")
        rates = {key: rate() if callable(rate) else rate for key, rate in self._rates.items()}
        rule = self._rule_for([v for _, v in pairs])
        building = current_building()
        rule.rows.update(id(v) for g, v in known if isinstance(g, IndexedSlices) or building.only_looked_up(v))
        dense = [_dense(g, v) for g, v in known]

        def update() -> None:
            numbers, rule.rates = rule.rates, rates
            try:
                rule.apply(dense, [v for _, v in known])
            finally:
                rule.rates = numbers
            if global_step is not None:
                global_step.assign_add(1)

        operation = Operation(name or self._name, update)
        building.collect(GraphKeys.TRAIN_OP, operation)
        return operation

    def _rule_for(self, variables: list[Any]) -> Rule:
        """Returns the update rule for these variables, which an earlier trace of the same code may have made."""
        key = tuple(map(id, variables))
        if key not in self._used:
            building = current_building()
            place = building.scopes.unique_name(f"rule/{self._name}")
            self._used[key] = building.graph.kept(place, lambda: self._built(variables))
            _list_slots(building, self._used[key], variables)
        return self._used[key]

    def _built(self, variables: list[Any]) -> Rule:
        rule = self._rule({name: rate for name, rate in self._rates.items() if isinstance(rate, int | float)})
        rule.build(variables)
        return rule


def _list_slots(building: ModelBuild, rule: Rule, variables: list[Any]) -> None:
    """Adds the slots to the variables of the graph under TensorFlow's names: `dense/kernel/Adam`, `dense/kernel/Adam_1`.

    The names begin with the open variable scope, except within `slots_named`.
    """
    known, below = building.graph.variables, building.scopes.below
    listed = {id(variable): name for name, variable in known.items()}
    for variable in variables:
        whole = _whole(variable)
        own = listed.get(id(whole), building.variable_name(whole))
        for name in rule.slots:
            slot, end = _whole(rule.slot(name, variable)), str(rule.slot_names.get(name, rule.name))
            if id(slot) not in listed:
                names = building.slot_names
                full = _free(below(f"{own}/{end}") if names is None else names.whole(own, end), known)
                listed[id(slot)], known[full] = full, slot
                other = None if names is None else names.under_mirrored(own, full.rpartition("/")[2])
                if other is not None:
                    building.graph.derived[full] = functools.partial(_saved_as, other)
                if building.owner is not None:  # what initializes all variables of a graph finds them there
                    building.declare(listed[id(slot)], slot)
    if rule.counts and id(rule.iterations) not in listed:
        name = _free(below(f"{rule.name}/step"), known)
        known[name] = rule.iterations
        if building.owner is not None:
            building.declare(name, rule.iterations)
        building.graph.derived[name] = functools.partial(
            _steps_of_powers, rule.rates.get("beta2"), below("beta2_power")
        )
        for beta in ("beta1", "beta2"):
            rate = rule.rates.get(beta)
            if isinstance(rate, int | float):
                power = _free(below(f"{beta}_power"), building.graph.written)
                building.graph.written[power] = functools.partial(_power, rate, rule.iterations)


def _power(beta: float, iterations: Any) -> np.ndarray:
    """The power of a rate that TensorFlow's Adam keeps in a variable: it begins with the first one."""
    return np.asarray(beta ** (int(iterations.numpy()) + 1), np.float32)


@contextlib.contextmanager
def slots_named(names: SlotNaming) -> Iterator[None]:
    """Has slots that the body creates called by their variable, a part and their suffix: `dense/kernel/part_0/Adagrad`.

    TensorFlow's canned Estimators, whose variables a partitioner makes, have such names.
    """
    building = current_building()
    before, building.slot_names = building.slot_names, names
    try:
        yield
    finally:
        building.slot_names = before


def _saved_as(name: str, saved: Mapping[str, Any]) -> np.ndarray | None:
    """The value that a checkpoint has under another name."""
    return np.asarray(saved[name]) if name in saved else None


def _steps_of_powers(beta: Any, name: str, saved: Mapping[str, Any]) -> np.ndarray | None:
    """The number of updates, from the power of Adam's beta2 that TensorFlow saves, whose exponent is one more."""
    if name not in saved or not isinstance(beta, int | float) or not 0.0 < beta < 1.0:
        return None
    power = max(float(np.asarray(saved[name])), float(np.finfo(np.float32).tiny))  # from there on it is 0
    return np.asarray(round(math.log(power) / math.log(beta)) - 1, np.int64)


def _whole(variable: Any) -> Any:
    """Returns the variable that `variable` is a shard of, or the variable itself if it is not sharded."""
    return variable if variable._sharded_variable is None else variable._sharded_variable


def _free(name: str, taken: dict[str, Any]) -> str:
    number, found = 0, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def scaled_loss(building: ModelBuild, loss: Any) -> Any:
    """Returns this replica's part of a loss that is a mean over replicas, or the loss itself if it is a sum."""
    replica = current().replica
    if replica is None or replica.num_replicas_in_sync == 1 or building.loss_reduction == Reduction.SUM:
        return loss
    return loss * (1.0 / replica.num_replicas_in_sync)


def _dense(gradient: Any, variable: Any) -> Any:
    if not isinstance(gradient, IndexedSlices):
        return gradient
    rows = jnp.asarray(gradient.values)
    return jnp.zeros(variable.shape, rows.dtype).at[jnp.asarray(gradient.indices)].add(rows)
