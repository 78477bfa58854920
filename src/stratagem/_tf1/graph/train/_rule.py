"""How an optimizer of TensorFlow 1 changes one variable: a Keras optimizer, so that every strategy knows what to do with it."""

import abc
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import UnimplementedError

Arrays = dict[str, jax.Array]


class Rule(keras.optimizers.Optimizer):  # type: ignore[misc]
    """The update of one variable from its gradient, with TensorFlow's formulas.

    slots: what is kept for each variable, in the order in which TensorFlow makes it. touched_only: for a variable of which
    rows were looked up, the other rows and their slots stay as they are, which a gradient of zero would change.
    rates: learning rate, momentum and so on by name: numbers or, while a step is traced, tensors. initial: the first value of
    an accumulator. slot_names: what the names of slots end in, by slot, where it is not the optimizer's name.
    """

    slots: ClassVar[tuple[str, ...]] = ()
    touched_only: ClassVar[bool] = False
    counts: ClassVar[bool] = (
        False  # whether the number of updates matters to the formula, and so belongs into a checkpoint
    )

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
        self.rows: set[int] = set()  # the variables (by identity) of which rows were looked up

    @abc.abstractmethod
    def new(self, gradient: jax.Array, value: jax.Array, kept: Arrays, rates: Arrays) -> tuple[jax.Array, Arrays]:
        """The variable's and the slots' values after the update. rates: scalars of the variable's dtype, and `step` from 1."""

    def _learning_rate_now(self) -> Any:
        return self.rates["learning_rate"]

    def build(self, variables: list[Any]) -> None:
        """Make the slots."""
        super().build(variables)
        self.kept = {slot: self.add_optimizer_variables(variables, slot, self.first(slot)) for slot in self.slots}

    def first(self, slot: str) -> Any:
        """The initializer of a slot."""
        return keras.initializers.Constant(self.initial if slot in ("accumulator", "accum") else 0.0)

    def slot(self, name: str, variable: Any) -> Any:
        """What is kept under this name for the variable."""
        return self.kept[name][self._get_variable_index(variable)]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Assign what `new` says; rows without a gradient stay where they should."""
        value = variable.value
        slots = {name: self.slot(name, variable) for name in self.slots}
        before = {name: slot.value for name, slot in slots.items()}
        rates = {name: _scalar(rate).astype(value.dtype) for name, rate in self.rates.items()}
        rates["step"] = (self.iterations.value + 1).astype(value.dtype)
        gradient = jnp.asarray(gradient, value.dtype)
        after, kept = self.new(gradient, value, before, rates)
        if self.touched_only and id(variable) in self.rows:
            touched = jnp.any(gradient != 0, axis=tuple(range(1, gradient.ndim)), keepdims=True)
            after = jnp.where(touched, after, value)
            kept = {name: jnp.where(touched, kept[name], before[name]) for name in kept}
        self.assign(variable, after)
        for name, new in kept.items():
            self.assign(slots[name], new)

    def check_numbers(self, rates: dict[str, Any]) -> None:
        """Raise UnimplementedError for rates that are tensors: servers know numbers only."""
        tensors = [name for name, rate in rates.items() if not isinstance(rate, int | float)]
        if tensors:
            raise UnimplementedError(
                f"{self.name}: {', '.join(tensors)} is a tensor, but variables on parameter servers are updated there, where "
                "only numbers are known. Pass a Python number."
            )


def _scalar(rate: Any) -> Any:
    """A number as TensorFlow has it, in float32 whatever the variable is; a tensor as it is."""
    return np.float32(rate) if isinstance(rate, int | float) else jnp.asarray(rate)
