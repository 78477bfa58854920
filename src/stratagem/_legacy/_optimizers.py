"""Optimizers of `tf.keras.optimizers.legacy`: TensorFlow's first formulas."""

from collections.abc import Sequence
from typing import Any, ClassVar

import keras
from keras import ops

from stratagem._base.exports import exported
from stratagem._legacy._optimizer import Hyperparameter, LegacyOptimizer, rounded


@exported("keras.optimizers.legacy.SGD")
@keras.saving.register_keras_serializable("stratagem")
class LegacySGD(LegacyOptimizer, keras.optimizers.SGD):  # type: ignore[misc]
    """Gradient descent, with momentum."""

    slots: ClassVar[dict[str, str]] = {"momentum": "momentums"}
    changes_only_looked_up = True
    settings: ClassVar[tuple[str, ...]] = ("momentum", "nesterov")
    momentum = Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        _check_momentum(momentum)
        super().__init__(name, learning_rate, momentum=0.0, nesterov=nesterov, **kwargs)
        self.momentum = momentum


@exported("keras.optimizers.legacy.Adam")
@keras.saving.register_keras_serializable("stratagem")
class LegacyAdam(LegacyOptimizer, keras.optimizers.Adam):  # type: ignore[misc]
    """Adam, whose epsilon is "epsilon hat" of its paper."""

    slots: ClassVar[dict[str, str]] = {"m": "_momentums", "v": "_velocities", "vhat": "_velocity_hats"}
    settings: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon", "amsgrad")
    beta_1, beta_2 = Hyperparameter(), Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        settings = {"beta_1": beta_1, "beta_2": beta_2, "epsilon": _epsilon(epsilon), "amsgrad": amsgrad}
        super().__init__(name, learning_rate, **settings, **kwargs)


@exported("keras.optimizers.legacy.Adamax")
@keras.saving.register_keras_serializable("stratagem")
class LegacyAdamax(LegacyOptimizer, keras.optimizers.Adamax):  # type: ignore[misc]
    """Adam with the largest gradient in place of the mean of squares."""

    slots: ClassVar[dict[str, str]] = {"m": "_m", "v": "_u"}
    changes_only_looked_up = True
    settings: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon")
    beta_1, beta_2 = Hyperparameter(), Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=_epsilon(epsilon), **kwargs)


@exported("keras.optimizers.legacy.Adadelta")
@keras.saving.register_keras_serializable("stratagem")
class LegacyAdadelta(LegacyOptimizer, keras.optimizers.Adadelta):  # type: ignore[misc]
    """Adadelta."""

    slots: ClassVar[dict[str, str]] = {"accum_grad": "_accumulated_grads", "accum_var": "_accumulated_delta_vars"}
    changes_only_looked_up = True
    settings: ClassVar[tuple[str, ...]] = ("rho", "epsilon")
    rho = Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float | None = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, learning_rate, rho=rho, epsilon=_epsilon(epsilon), **kwargs)


@exported("keras.optimizers.legacy.Adagrad")
@keras.saving.register_keras_serializable("stratagem")
class LegacyAdagrad(LegacyOptimizer, keras.optimizers.Adagrad):  # type: ignore[misc]
    """Adagrad, whose epsilon is beside the root, not under it."""

    slots: ClassVar[dict[str, str]] = {"accumulator": "_accumulators"}
    settings: ClassVar[tuple[str, ...]] = ("initial_accumulator_value", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        settings = {"initial_accumulator_value": initial_accumulator_value, "epsilon": _epsilon(epsilon)}
        super().__init__(name, learning_rate, **settings, **kwargs)

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        """Changes a variable and its accumulator."""
        rate, gradient = self._decayed(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
        accumulator = self._accumulators[self._get_variable_index(variable)]
        self.assign_add(accumulator, ops.square(gradient))
        self.assign_sub(variable, rate * gradient / (ops.sqrt(accumulator) + self.epsilon))


@exported("keras.optimizers.legacy.RMSprop")
@keras.saving.register_keras_serializable("stratagem")
class LegacyRMSprop(LegacyOptimizer, keras.optimizers.RMSprop):  # type: ignore[misc]
    """RMSprop, whose epsilon is beside the root without momentum, and under it with momentum."""

    slots: ClassVar[dict[str, str]] = {"rms": "_velocities", "momentum": "_momentums", "mg": "_average_gradients"}
    settings: ClassVar[tuple[str, ...]] = ("rho", "momentum", "epsilon", "centered")
    rho, momentum = Hyperparameter(), Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        _check_momentum(momentum)
        settings = {"rho": rho, "momentum": momentum, "epsilon": _epsilon(epsilon), "centered": centered}
        super().__init__(name, learning_rate, **settings, **kwargs)

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        """Changes a variable and its slots."""
        rate, gradient = self._decayed(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
        rho, index = ops.cast(self.rho, variable.dtype), self._get_variable_index(variable)
        square = self._velocities[index]
        self.assign(square, rho * square + (1 - rho) * ops.square(gradient))
        spread: Any = square
        if self.centered:
            mean = self._average_gradients[index]
            self.assign(mean, rho * mean + (1 - rho) * gradient)
            spread = square - ops.square(mean)
        if self._momentums:
            momentum = self._momentums[index]
            step = rate * gradient / ops.sqrt(spread + self.epsilon)
            self.assign(momentum, ops.cast(self.momentum, variable.dtype) * momentum + step)
            self.assign_sub(variable, momentum)
        else:
            self.assign_sub(variable, rate * gradient / (ops.sqrt(spread) + self.epsilon))

    def kept_in_rows(self) -> Sequence[str] | None:
        """Returns all slots; without a momentum none is kept: the means of squares decay."""
        return tuple(self.get_slot_names()) if self.momentum else None


@exported("keras.optimizers.legacy.Nadam")
@keras.saving.register_keras_serializable("stratagem")
class LegacyNadam(LegacyOptimizer, keras.optimizers.Nadam):  # type: ignore[misc]
    """Adam with Nesterov's momentum, whose schedule is slower than that of Keras 3 by a factor, `decay`."""

    slots: ClassVar[dict[str, str]] = {"m": "_momentums", "v": "_velocities"}
    settings: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon")
    beta_1, beta_2 = Hyperparameter(), Hyperparameter()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        if isinstance(kwargs.get("lr", learning_rate), keras.optimizers.schedules.LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate. Give it "
                "a number, and assign `learning_rate` between steps."
            )
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=_epsilon(epsilon), **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, type] | None = None) -> "LegacyNadam":
        """Makes an optimizer with the settings of `get_config`, where the momentum's decay has another name."""
        config = {"schedule_decay" if k == "decay" else k: v for k, v in config.items()}
        return super().from_config(config, custom_objects)

    def _momentum(self, step: int, dtype: str) -> Any:
        """The momentum of the step that is so many after those that were counted."""
        exponent = ops.cast(self.decay, dtype) * ops.cast(self.iterations + step, dtype)
        return ops.cast(self.beta_1, dtype) * (1.0 - 0.5 * ops.power(ops.cast(rounded(0.96), dtype), exponent))

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        """Keras' step without Keras' schedule of the momentum: the product of the momenta is this schedule's."""
        self.assign(self._u_product, self._u_product * self._momentum(1, self._u_product.dtype))
        super()._backend_update_step(grads, trainable_variables, learning_rate)

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        """Changes a variable and its slots."""
        dtype, index = variable.dtype, self._get_variable_index(variable)
        rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
        beta_1, beta_2 = ops.cast(self.beta_1, dtype), ops.cast(self.beta_2, dtype)
        m, v = self._momentums[index], self._velocities[index]
        now, following = self._momentum(1, dtype), self._momentum(2, dtype)
        product = ops.cast(self._u_product, dtype)
        self.assign(m, beta_1 * m + (1 - beta_1) * gradient)
        self.assign(v, beta_2 * v + (1 - beta_2) * ops.square(gradient))
        unbiased = v / (1 - ops.power(beta_2, ops.cast(self.iterations + 1, dtype)))
        mean = (1 - now) * gradient / (1 - product) + following * (m / (1 - product * following))
        self.assign_sub(variable, rate * mean / (ops.sqrt(unbiased) + self.epsilon))

    def beside_slots(self) -> dict[str, keras.Variable]:
        """Returns the product of the momenta; nothing before there are variables."""
        return {"momentum_cache": self._u_product} if self.built else {}

    def kept_in_rows(self) -> Sequence[str] | None:
        """Returns none: only the variable is kept, the means decay."""
        return ()


@exported("keras.optimizers.legacy.Ftrl")
@keras.saving.register_keras_serializable("stratagem")
class LegacyFtrl(LegacyOptimizer, keras.optimizers.Ftrl):  # type: ignore[misc]
    """Follow the regularized leader."""

    slots: ClassVar[dict[str, str]] = {"accumulator": "_accumulators", "linear": "_linears"}
    changes_only_looked_up = True
    settings: ClassVar[tuple[str, ...]] = (
        *(
            "initial_accumulator_value",
            "learning_rate_power",
            "l1_regularization_strength",
            "l2_regularization_strength",
        ),
        *("beta", "l2_shrinkage_regularization_strength"),
    )

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            name,
            learning_rate,
            learning_rate_power=learning_rate_power,
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
            beta=beta,
            **kwargs,
        )

    def _ordered_slots(self) -> list[keras.Variable]:
        return [v for pair in zip(self._accumulators, self._linears, strict=True) for v in pair] if self.built else []


def _check_momentum(momentum: Any) -> None:
    if isinstance(momentum, int | float) and not 0 <= momentum <= 1:
        raise ValueError(
            f"`momentum` must be between [0, 1]. Received: momentum={momentum} (of type {type(momentum)})."
        )


def _epsilon(epsilon: float | None) -> float:
    return epsilon or keras.config.epsilon()
