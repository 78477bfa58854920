"""The common part of legacy optimizers: TensorFlow's `OptimizerV2`, on the classes of Keras 3 that keep the slots."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, final

import keras
import numpy as np
from keras import ops

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.step import GradientTape, touched_rows
from stratagem._legacy._optimizer_methods import GradsAndVars, gradients_of
from stratagem._private import SlotNames, was_looked_up

_ALLOWED = {"clipnorm", "clipvalue", "lr", "decay", "global_clipnorm"}


@final
class Hyperparameter:
    """A setting of an optimizer: a number, or a function without arguments that returns it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self.given(instance)
        return value() if callable(value) else value

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self._name] = value

    def given(self, instance: Any) -> Any:
        """The number or the function. Raises AttributeError before there is one."""
        try:
            return vars(instance)[self._name]
        except KeyError:
            raise AttributeError(f"{type(instance).__name__} has no `{self._name}`.") from None


@exported("keras.optimizers.legacy.Optimizer")
class LegacyOptimizer(SlotNames, keras.optimizers.Optimizer):  # type: ignore[misc]
    """An optimizer with the arguments, methods and weights of TensorFlow's `OptimizerV2`.

    Combined with a class of Keras 3, whose `build` and `update_step` it uses.
    """

    decay = Hyperparameter()
    # Whether an update changes no other rows than those that were looked up, as TensorFlow's updates for gradients of rows.
    # It matters to rules that change something by a gradient of 0.
    changes_only_looked_up = False
    # The ids of variables that are only looked up; None: of those that were looked up.
    rows: frozenset[int] | None = None

    def __init__(self, name: str, learning_rate: Any = None, **kwargs: Any) -> None:
        given = {k: v for k, v in kwargs.items() if k not in self.settings}
        for key, value in given.items():
            if key in ("gradient_aggregator", "gradient_transformers"):
                raise UnimplementedError(
                    f"{key} is not provided: change the gradients between tape and apply_gradients."
                )
            if key not in _ALLOWED:
                raise TypeError(
                    f"Unexpected keyword argument passed to optimizer: {key}. Allowed kwargs are {sorted(_ALLOWED)}."
                )
            if value is not None and value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        if given.get("clipnorm") is not None and given.get("global_clipnorm") is not None:
            raise ValueError(
                "Cannot accept both `clipnorm` and `global_clipnorm`. Received: "
                f"`clipnorm`={given['clipnorm']}, `global_clipnorm`={given['global_clipnorm']}."
            )
        if "lr" in given:
            warnings.warn("The `lr` argument is deprecated, use `learning_rate` instead.", stacklevel=4)
            learning_rate = given.pop("lr")
        object.__setattr__(
            self, "decay", given.pop("decay", 0.0) or 0.0
        )  # Keras forbids attributes before its own `__init__`
        own = {k: v for k, v in kwargs.items() if k in self.settings}
        super().__init__(learning_rate=learning_rate, name=name or None, **given, **own)

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        """Changes a variable and its slots; the learning rate decays with the steps."""
        super().update_step(gradient, variable, self._decayed(learning_rate, variable.dtype))

    def kept_in_rows(self) -> Sequence[str] | None:
        """Returns the slots that stay as they are, with the variable, in rows that were not looked up; None: nothing does."""
        return tuple(self.get_slot_names()) if self.changes_only_looked_up else None

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        for gradient, variable in zip(grads, trainable_variables, strict=True):
            self._update_rows(gradient, variable, learning_rate)

    def _update_rows(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        by_rows = was_looked_up(variable) if self.rows is None else id(variable) in self.rows
        if not by_rows:
            self.update_step(gradient, variable, learning_rate)
            return
        slots = self.kept_in_rows()
        kept = [] if slots is None else [variable, *(self.get_slot(variable, name) for name in slots)]
        before = [each.value for each in kept]
        unmarked, touched = touched_rows(ops.convert_to_tensor(gradient))
        self.update_step(unmarked, variable, learning_rate)
        for each, old in zip(kept, before, strict=True):
            self.assign(each, ops.where(touched, each.value, old))

    def _decayed(self, learning_rate: Any, dtype: str) -> Any:
        rate, decay = ops.cast(learning_rate, dtype), self.decay
        return (
            rate / (1.0 + ops.cast(rounded(decay), dtype) * ops.cast(self.iterations, dtype)) if decay > 0.0 else rate
        )

    @property
    def learning_rate(self) -> Any:
        """The learning rate, without its decay; it may be set to a number, a function or a schedule at any time."""
        return self._get_current_learning_rate()

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if isinstance(self._learning_rate, keras.Variable):
            keras.optimizers.Optimizer.learning_rate.fset(self, value)
        else:
            object.__setattr__(self, "_learning_rate", value)

    def minimize(
        self,
        loss: Any | Callable[[], Any],
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: GradientTape | None = None,
    ) -> Any:
        """Changes variables against the gradient of a loss. Returns `iterations`."""
        return self.apply_gradients(gradients_of(loss, var_list, tape, grad_loss=grad_loss), name=name)

    def compute_gradients(self, loss: Any, var_list: Any, tape: GradientTape | None = None) -> GradsAndVars:
        """Returns the gradients of a loss, as pairs (gradient, variable)."""
        return gradients_of(loss, var_list, tape)

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots that the variables have."""
        return [name for name, attribute in self.slots.items() if getattr(self, attribute, None)]

    def get_slot(self, var: keras.Variable, slot_name: str) -> keras.Variable:
        """Returns what the optimizer keeps for a variable. Raises KeyError where it keeps no such slot."""
        return getattr(self, self.slots[slot_name])[self._get_variable_index(var)]

    @property
    def weights(self) -> list[keras.Variable]:
        """The variables in TensorFlow's order: the number of steps, then the slots."""
        return [self.iterations, *self.beside_slots().values(), *self._ordered_slots()]

    def beside_slots(self) -> dict[str, keras.Variable]:
        """Returns what the optimizer keeps besides the slots of variables and the number of steps, by TensorFlow's names."""
        return {}

    def _ordered_slots(self) -> list[keras.Variable]:
        return [v for attribute in self.slots.values() for v in getattr(self, attribute, ())]

    def get_weights(self) -> list[np.ndarray]:
        """Returns the values of `weights`."""
        return [w.numpy() for w in self.weights]

    def set_weights(self, weights: Sequence[np.ndarray]) -> None:
        """Sets `weights` to values in the same order. Raises ValueError for another number of them, or other shapes."""
        mine = self.weights
        if len(mine) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self.name} with a  weight list of length {len(weights)}, but "
                f"the optimizer was expecting {len(mine)} weights. It has those of its variables from the first update on."
            )
        for variable, value in zip(mine, weights, strict=True):
            if tuple(variable.shape) != np.shape(value):
                raise ValueError(
                    f"Optimizer weight shape {tuple(variable.shape)} not compatible with provided weight shape "
                    f"{np.shape(value)}."
                )
            variable.assign(value)

    def get_config(self) -> dict[str, Any]:
        """Returns the settings, with which `from_config` makes such an optimizer."""
        rate = self._learning_rate
        if isinstance(rate, keras.optimizers.schedules.LearningRateSchedule):
            rate = keras.optimizers.schedules.serialize(rate)
        else:
            rate = float(rate() if callable(rate) else rate.numpy())
        clips = {
            k: getattr(self, k) for k in ("clipnorm", "clipvalue", "global_clipnorm") if getattr(self, k) is not None
        }
        settings = {k: getattr(self, k) for k in self.settings}
        return {"name": self.name, **clips, "learning_rate": rate, "decay": self.decay, **settings}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, type] | None = None) -> "LegacyOptimizer":
        """Makes an optimizer with the settings of `get_config`."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            rate = config["learning_rate"]
            config["learning_rate"] = keras.optimizers.schedules.deserialize(rate, custom_objects=custom_objects)
        return cls(**config)


def rounded(number: float) -> Any:
    """A number as TensorFlow casts it to any type: by way of float32."""
    return np.float32(number)
