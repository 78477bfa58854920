"""The base of TensorFlow 1's update rules: a Keras optimizer, so that every strategy can apply it."""

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._core.step import touched_rows

Arrays = dict[str, jax.Array]


class Rule(keras.optimizers.Optimizer):  # type: ignore[misc]
    """The update of one variable from its gradient, with TensorFlow's formulas.

    slots: the names of the slots of each variable, in the order in which TensorFlow creates them.
    touched_only: rows that were not looked up, and their slots, stay unchanged, although a gradient of zero would change
        them.
    counts: whether the formula uses the number of updates, which then belongs into a checkpoint.
    rates: learning rate, momentum and so on by name: numbers, or tensors while a step is traced.
    initial: the first value of an accumulator.
    slot_names: the suffix of the name of each slot, where it is not the optimizer's name.
    """

    slots: ClassVar[tuple[str, ...]] = ()
    touched_only: ClassVar[bool] = False
    counts: ClassVar[bool] = False

    def __init__(
        self,
        rates: dict[str, Any],
        name: str,
        *,
        initial: float = 0.0,
        nesterov: bool = False,
        slot_names: dict[str, str] | None = None,
    ) -> None:
        super().__init__(learning_rate=self._learning_rate_now, name=name)
        self.rates, self.initial, self.nesterov = rates, initial, nesterov
        self.slot_names = slot_names or {}
        self.kept: dict[str, list[Any]] = {}
        self.rows: set[int] = set()  # the ids of variables whose rows were looked up

    @abc.abstractmethod
    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> tuple[jax.Array, Arrays]:
        """Returns the new values of the variable and its slots.

        rates: scalars of the variable's dtype, and `step`, which starts at 1.
        """

    def _learning_rate_now(self) -> Any:
        return self.rates["learning_rate"]

    def build(self, variables: list[Any]) -> None:
        """Creates the slots."""
        super().build(variables)
        self.kept = {slot: self.add_optimizer_variables(variables, slot, self.first(slot)) for slot in self.slots}

    def first(self, slot: str) -> Any:
        """Returns the initializer of a slot."""
        return keras.initializers.Constant(self.initial if slot in ("accumulator", "accum") else 0.0)

    def slot(self, name: str, variable: Any) -> Any:
        """Returns the slot of this name of the variable."""
        return self.kept[name][self._get_variable_index(variable)]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Assigns what `new` returns; with `touched_only`, rows that were not looked up stay unchanged."""
        value = variable.value
        slots = {name: self.slot(name, variable) for name in self.slots}
        before = {name: slot.value for name, slot in slots.items()}
        rates = {name: _scalar(rate).astype(value.dtype) for name, rate in self.rates.items()}
        rates["step"] = (self.iterations.value + 1).astype(value.dtype)
        gradient = jnp.asarray(gradient, value.dtype)
        of_rows = id(variable) in self.rows
        gradient, touched = touched_rows(gradient) if of_rows else (gradient, gradient)
        after, kept = self.new(gradient, value, before, rates)
        if self.touched_only and of_rows:
            after = jnp.where(touched, after, value)
            kept = {name: jnp.where(touched, kept[name], before[name]) for name in kept}
        self.assign(variable, after)
        for name, new in kept.items():
            self.assign(slots[name], new)

    def computed_settings(self) -> dict[str, jax.Array]:
        """Returns by name the rates that are tensors of the present step: servers get their values from the worker."""
        return {name: jnp.asarray(rate) for name, rate in self.rates.items() if not isinstance(rate, int | float)}

    def take_settings(self, settings: Mapping[str, jax.Array]) -> None:
        """Takes the values of these rates."""
        self.rates = {**self.rates, **settings}
        self._learning_rate = self.rates["learning_rate"]


def _scalar(rate: Any) -> Any:
    """Returns a number as float32, as TensorFlow does whatever the variable's dtype; returns a tensor unchanged."""
    return np.float32(rate) if isinstance(rate, int | float) else jnp.asarray(rate)
