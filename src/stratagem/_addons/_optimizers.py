"""Optimizers of TensorFlow Addons, on TensorFlow's legacy ones: decoupled weight decay, LAMB, rectified Adam."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import keras
from keras import ops

from stratagem._base.exports import exported
from stratagem._core.step import GradientTape
from stratagem._legacy import Hyperparameter, LegacyAdam, LegacyOptimizer, LegacySGD, rounded

_PACKAGE = "Addons"


def _matches(variable: Any, patterns: Iterable[str] | None) -> bool:
    return any(re.search(pattern, variable.path) is not None for pattern in patterns or ())


def _at_step(optimizer: Any, setting: Any, dtype: str) -> Any:
    """The value of a number, or of a schedule at the present step."""
    if isinstance(setting, keras.optimizers.schedules.LearningRateSchedule):
        return ops.cast(setting(optimizer.iterations), dtype)
    return ops.cast(rounded(setting() if callable(setting) else setting), dtype)


def _serialized(setting: Any) -> Any:
    if isinstance(setting, keras.optimizers.schedules.LearningRateSchedule):
        return keras.optimizers.schedules.serialize(setting)
    return setting() if callable(setting) else setting


def _deserialized(config: dict[str, Any], custom_objects: Any) -> dict[str, Any]:
    decay = config.get("weight_decay")
    if isinstance(decay, dict):
        decay = keras.optimizers.schedules.deserialize(decay, custom_objects=custom_objects)
    return config if decay is None else {**config, "weight_decay": decay}


class _OwnWeightDecay:
    """A number or schedule `weight_decay` that Keras' own rule, which multiplies it by the learning rate, leaves alone."""

    exclude_from_weight_decay: list[str] | None

    @property
    def weight_decay(self) -> Any:
        """The number, or the schedule."""
        return vars(self)["_decay_of_weights"]

    @weight_decay.setter
    def weight_decay(self, value: Any) -> None:
        if value is not None or "_decay_of_weights" not in vars(self):  # None: from Keras' own constructor
            vars(self)["_decay_of_weights"] = value

    def _apply_weight_decay(self, variables: Any) -> None:
        """Does nothing in place of Keras' rule, unless a subclass decays before it updates."""


@exported("addons.optimizers.DecoupledWeightDecayExtension")
class DecoupledWeightDecayExtension(_OwnWeightDecay):
    """Adds decoupled weight decay to a legacy optimizer (Loshchilov and Hutter 2019, arXiv:1711.05101).

    `class AdamW(DecoupledWeightDecayExtension, Adam)`: before its update, every variable loses `weight_decay` times itself:
    the decay is not multiplied by the learning rate, so a schedule of the latter needs one of the former.

    exclude_from_weight_decay: regular expressions; a variable in whose path one is found does not decay.
    """

    def __init__(self, weight_decay: Any, exclude_from_weight_decay: list[str] | None = None, **kwargs: Any) -> None:
        decay = kwargs.pop("weight_decay", weight_decay)
        object.__setattr__(self, "_decay_of_weights", decay)
        object.__setattr__(self, "_decayed_only", None)
        super().__init__(**kwargs)
        object.__setattr__(self, "exclude_from_weight_decay", exclude_from_weight_decay)

    def apply_gradients(
        self, grads_and_vars: Any, name: str | None = None, decay_var_list: Any = None, **kwargs: Any
    ) -> Any:
        """Changes variables. decay_var_list: those that decay; None: all but the excluded ones."""
        only = None if decay_var_list is None else {id(v) for v in decay_var_list}
        vars(self)["_decayed_only"] = only
        return super().apply_gradients(grads_and_vars, name=name, **kwargs)  # type: ignore[misc]

    def minimize(
        self,
        loss: Any | Callable[[], Any],
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
        tape: GradientTape | None = None,
    ) -> Any:
        """Changes variables against the gradient of a loss. decay_var_list: as in `apply_gradients`."""
        pairs = self.compute_gradients(loss, var_list, tape)  # type: ignore[attr-defined]
        return self.apply_gradients(pairs, name=name, decay_var_list=decay_var_list)

    def _apply_weight_decay(self, variables: Any) -> None:
        only = vars(self)["_decayed_only"]
        for variable in variables:
            decays = not _matches(variable, self.exclude_from_weight_decay) if only is None else id(variable) in only
            if decays:
                variable.assign_sub(variable * _at_step(self, self.weight_decay, variable.dtype))

    def get_config(self) -> dict[str, Any]:
        """Returns the settings."""
        mine = {
            "weight_decay": _serialized(self.weight_decay),
            "exclude_from_weight_decay": self.exclude_from_weight_decay,
        }
        return {**super().get_config(), **mine}  # type: ignore[misc]

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, type] | None = None) -> LegacyOptimizer:
        """Makes an optimizer with the settings of `get_config`."""
        return super().from_config(_deserialized(config, custom_objects), custom_objects)  # type: ignore[misc]


@exported("addons.optimizers.extend_with_decoupled_weight_decay")
def extend_with_decoupled_weight_decay(base_optimizer: type[LegacyOptimizer]) -> type[LegacyOptimizer]:
    """Returns a class of optimizers with decoupled weight decay, whose first argument is the decay.

    Raises TypeError for optimizers other than those of `tf.keras.optimizers.legacy`, as TensorFlow Addons does.
    """
    if not issubclass(base_optimizer, LegacyOptimizer):
        raise TypeError(
            f"{base_optimizer.__module__}.{base_optimizer.__name__} cannot be extended: give it an optimizer of "
            "tf.keras.optimizers.legacy. Those of tf.keras.optimizers have an argument weight_decay."
        )

    @keras.saving.register_keras_serializable(_PACKAGE, f"With weight decay {base_optimizer.__name__}")
    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc, valid-type]
        """An optimizer whose variables decay before its update."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            names = list(base_optimizer.__init__.__code__.co_varnames[1:])
            super().__init__(weight_decay, **dict(zip(names, args, strict=False)), **kwargs)

    return OptimizerWithDecoupledWeightDecay


@exported("addons.optimizers.SGDW")
@keras.saving.register_keras_serializable(_PACKAGE)
class SGDW(DecoupledWeightDecayExtension, LegacySGD):  # type: ignore[misc]
    """Gradient descent with momentum and decoupled weight decay (arXiv:1711.05101)."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGDW",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            weight_decay, learning_rate=learning_rate, momentum=momentum, nesterov=nesterov, name=name, **kwargs
        )


@exported("addons.optimizers.AdamW")
@keras.saving.register_keras_serializable(_PACKAGE)
class AdamW(DecoupledWeightDecayExtension, LegacyAdam):  # type: ignore[misc]
    """Adam with decoupled weight decay (arXiv:1711.05101)."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        name: str = "AdamW",
        **kwargs: Any,
    ) -> None:
        settings = {"beta_1": beta_1, "beta_2": beta_2, "epsilon": epsilon, "amsgrad": amsgrad}
        super().__init__(weight_decay, learning_rate=learning_rate, name=name, **settings, **kwargs)


@exported("addons.optimizers.LazyAdam")
@keras.saving.register_keras_serializable(_PACKAGE)
class LazyAdam(LegacyAdam):
    """Adam. That of TensorFlow Addons leaves the moments of rows without a gradient as they are; here gradients are dense."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        name: str = "LazyAdam",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, name, **kwargs)


@exported("addons.optimizers.LAMB")
@keras.saving.register_keras_serializable(_PACKAGE)
class LAMB(_OwnWeightDecay, LegacyAdam):
    """Adam whose step has a length in proportion to the variable's (You et al. 2020, arXiv:1904.00962).

    exclude_from_weight_decay, exclude_from_layer_adaptation: regular expressions; a variable in whose path one is found does
    not decay, or takes Adam's steps. The latter are the former's, if none are given.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-6,
        weight_decay: float = 0.0,
        exclude_from_weight_decay: list[str] | None = None,
        exclude_from_layer_adaptation: list[str] | None = None,
        name: str = "LAMB",
        **kwargs: Any,
    ) -> None:
        object.__setattr__(self, "_decay_of_weights", kwargs.pop("weight_decay_rate", weight_decay))
        super().__init__(learning_rate, beta_1, beta_2, epsilon, False, name, **kwargs)
        object.__setattr__(self, "exclude_from_weight_decay", exclude_from_weight_decay)
        adapted = exclude_from_layer_adaptation or exclude_from_weight_decay
        object.__setattr__(self, "exclude_from_layer_adaptation", adapted)

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        """Changes a variable and its moments."""
        step = _corrected_moments(self, gradient, variable)
        update = step.mean / (ops.sqrt(step.square) + self.epsilon)
        if not _matches(variable, self.exclude_from_weight_decay):
            update = update + _at_step(self, self.weight_decay, variable.dtype) * variable
        ratio: Any = 1.0
        if not _matches(variable, self.exclude_from_layer_adaptation):
            length, change = (ops.sqrt(ops.sum(ops.square(v))) for v in (ops.convert_to_tensor(variable), update))
            adapts = ops.logical_and(length > 0, change > 0)
            ratio = ops.where(adapts, length / ops.where(adapts, change, ops.ones_like(change)), ops.ones_like(length))
        self.assign_sub(variable, ratio * self._decayed(learning_rate, variable.dtype) * update)

    def get_config(self) -> dict[str, Any]:
        """Returns the settings."""
        names = ("weight_decay", "exclude_from_weight_decay", "exclude_from_layer_adaptation")
        config = {**super().get_config(), **{name: getattr(self, name) for name in names}}
        return {key: value for key, value in config.items() if key != "amsgrad"}


@exported("addons.optimizers.RectifiedAdam")
@keras.saving.register_keras_serializable(_PACKAGE)
class RectifiedAdam(_OwnWeightDecay, LegacyAdam):
    """Adam that begins with plain steps, until the variance of its rate is bounded (Liu et al. 2020, arXiv:1908.03265).

    sma_threshold: the length of the averaged window from which on the rate is adaptive. total_steps: other than 0, the learning
    rate rises for `warmup_proportion` of them, and falls to `min_lr` for the rest.
    """

    sma_threshold, warmup_proportion, min_lr = Hyperparameter(), Hyperparameter(), Hyperparameter()
    total_steps = Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-7,
        weight_decay: Any = 0.0,
        amsgrad: bool = False,
        sma_threshold: float = 5.0,
        total_steps: int = 0,
        warmup_proportion: float = 0.1,
        min_lr: float = 0.0,
        name: str = "RectifiedAdam",
        **kwargs: Any,
    ) -> None:
        object.__setattr__(self, "_decay_of_weights", weight_decay)
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, name, **kwargs)
        self.sma_threshold, self.min_lr = sma_threshold, min_lr
        self.total_steps, self.warmup_proportion = total_steps, warmup_proportion

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        """Changes a variable and its moments."""
        dtype = variable.dtype
        step = _corrected_moments(self, gradient, variable)
        longest = 2 / (1 - step.beta_2) - 1
        window = longest - 2 * step.number * step.power_2 / (1 - step.power_2)
        adaptive = window >= self.sma_threshold
        safe = ops.where(adaptive, window, longest)
        rectified = ops.sqrt((safe - 4) / (longest - 4) * (safe - 2) / (longest - 2) * longest / safe)
        update = ops.where(adaptive, rectified * step.mean / (ops.sqrt(step.square) + self.epsilon), step.mean)
        if self.weight_decay != 0.0:
            update = update + _at_step(self, self.weight_decay, dtype) * variable
        self.assign_sub(variable, self._warmed(self._decayed(learning_rate, dtype), step.number, dtype) * update)

    def _warmed(self, rate: Any, number: Any, dtype: str) -> Any:
        """The learning rate of this step."""
        if not self.total_steps:
            return rate
        rising = self.total_steps * self.warmup_proportion
        falling = max(self.total_steps - rising, 1)
        fallen = rate + (self.min_lr - rate) / falling * ops.minimum(number - rising, ops.cast(falling, dtype))
        return ops.where(number <= rising, rate * (number / rising), fallen)

    def get_config(self) -> dict[str, Any]:
        """Returns the settings."""
        names = ("sma_threshold", "total_steps", "warmup_proportion", "min_lr")
        mine = {name: getattr(self, name) for name in names}
        return {**super().get_config(), "weight_decay": _serialized(self.weight_decay), **mine}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, type] | None = None) -> LegacyOptimizer:
        """Makes an optimizer with the settings of `get_config`."""
        return super().from_config(_deserialized(config, custom_objects), custom_objects)


class _Moments:
    """The corrected moments of a gradient after this step, and what they were computed with."""

    def __init__(self, mean: Any, square: Any, number: Any, beta_2: Any, power_2: Any) -> None:
        self.mean, self.square, self.number, self.beta_2, self.power_2 = mean, square, number, beta_2, power_2


def _corrected_moments(optimizer: Any, gradient: Any, variable: Any) -> _Moments:
    """Updates Adam's slots of a variable and returns what they say about the gradient."""
    dtype = variable.dtype
    gradient, number = ops.cast(gradient, dtype), ops.cast(optimizer.iterations + 1, dtype)
    beta_1, beta_2 = (ops.cast(rounded(beta), dtype) for beta in (optimizer.beta_1, optimizer.beta_2))
    power_1, power_2 = ops.power(beta_1, number), ops.power(beta_2, number)
    index = optimizer._get_variable_index(variable)
    mean, square = optimizer._momentums[index], optimizer._velocities[index]
    optimizer.assign(mean, beta_1 * mean + (1 - beta_1) * gradient)
    optimizer.assign(square, beta_2 * square + (1 - beta_2) * ops.square(gradient))
    largest = square
    if optimizer.amsgrad:
        largest = optimizer._velocity_hats[index]
        optimizer.assign(largest, ops.maximum(largest, square))
    return _Moments(mean / (1 - power_1), largest / (1 - power_2), number, beta_2, power_2)
