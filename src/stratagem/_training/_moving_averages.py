"""Exponential moving averages of variables, kept where the variables are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._core.context import current, entered
from stratagem._core.reduce_op import ReduceOp
from stratagem._core.step import init_scope
from stratagem._core.values import Reference, Variable, on_read, placement_of
from stratagem._ops import cast, float32, tensor
from stratagem._private import KerasVariable, initialized
from stratagem._strategies import get_replica_context


@final
class MovingAverages:
    """Averages that `apply` updates at once: average -= (1 - decay) * (average - variable). In a step they are part of it.

    decay: a number, tensor or variable. num_updates: limits the decay to (1 + num_updates) / (10 + num_updates).
    name: what the names of the averages end with.
    """

    def __init__(self, decay: Any, num_updates: Any, name: str) -> None:
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._averages: dict[Reference, Variable] = {}

    def apply(self, variables: Sequence[KerasVariable]) -> None:
        """Updates the average of each variable; one without an average gets one, with the value from before the step.

        In replicas, a variable whose replicas have values of their own counts with their mean.

        Raises:
            TypeError: among them is something that is no variable, or one whose dtype is no float.
            ValueError: a variable is made by the step that is being traced, so it had no value before.
        """
        for variable in variables:
            _check(variable)
            if Reference(variable) not in self._averages:
                self._averages[Reference(variable)] = _average_of(variable, self.name_of(variable))
        # As TensorFlow computes it: 1 - decay in float32, whatever the variable's type.
        step = 1.0 - self._current_decay()
        for variable in variables:
            average = self._averages[Reference(variable)]
            difference = average.read_value() - _value(variable)
            average.assign_sub(difference * cast(step, difference.dtype))

    def average(self, variable: KerasVariable) -> Variable | None:
        """The average of a variable; None if it has none."""
        return self._averages.get(Reference(variable))

    def name_of(self, variable: KerasVariable) -> str:
        """The name of a variable's average, whether there is one yet or not."""
        return f"{variable.name.removesuffix(':0')}/{self._name}"

    def averaged(self) -> list[KerasVariable]:
        """The variables that have an average."""
        return [reference.deref() for reference in self._averages]

    def _current_decay(self) -> jax.Array:
        decay: jax.Array = cast(tensor(self._decay), float32)
        if self._num_updates is None:
            return decay
        count = cast(tensor(self._num_updates), float32)
        return jnp.minimum(decay, (1.0 + count) / (10.0 + count))


def _check(variable: Any) -> None:
    if not isinstance(variable, KerasVariable):
        raise TypeError(
            "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is enabled, got "
            f"{variable!r:.100}."
        )
    if not jnp.issubdtype(variable.dtype, jnp.floating):
        raise TypeError(f"The variables must be half, float, or double: {variable.name} is {variable.dtype}.")


def _average_of(variable: Any, name: str) -> Variable:
    """A new average, which has a copy in every place where the variable has one."""
    if not initialized(variable):
        raise ValueError(
            f"Variable {variable.name} has no value before the step that makes it. Call `apply` after the model is built."
        )
    with init_scope(), _strategy_of(variable):
        return Variable(variable.value, trainable=False, name=name)


@contextmanager
def _strategy_of(variable: Any) -> Iterator[None]:
    """The scope of the strategy in which a variable was created, or the one that is open."""
    placement = placement_of(variable)
    strategy = current().strategy if placement is None or placement.strategy is None else placement.strategy
    with entered(strategy=strategy, crossing=strategy is not None):
        yield


def _value(variable: Any) -> Any:
    """The present value; in a replica the mean over the replicas, where each has its own."""
    replica = get_replica_context()
    if replica is None or not on_read(variable):
        return variable.value
    return replica.all_reduce(ReduceOp.MEAN, variable.value)
