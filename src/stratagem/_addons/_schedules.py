"""Learning rates of TensorFlow Addons that go up and down (Smith 2017, arXiv:1506.01186)."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from stratagem._base.exports import exported

_PACKAGE = "Addons"


@exported("addons.optimizers.CyclicalLearningRate")
@keras.saving.register_keras_serializable(_PACKAGE)
class CyclicalLearningRate(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
    """A rate that rises from the initial to the maximal one in `step_size` steps, and falls back in as many.

    scale_fn: the factor of a rise, of the cycle's number (from 1) if scale_mode is "cycle", else of the step's.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_fn: Callable[[Any], Any],
        scale_mode: str = "cycle",
        name: str = "CyclicalLearningRate",
    ) -> None:
        super().__init__()
        self.initial_learning_rate, self.maximal_learning_rate = initial_learning_rate, maximal_learning_rate
        self.step_size, self.scale_fn, self.scale_mode, self.name = step_size, scale_fn, scale_mode, name

    def __call__(self, step: Any) -> Any:
        """Returns the rate of a step."""
        step = ops.cast(step, "float32")
        cycle = ops.floor(1 + step / (2 * self.step_size))
        height = ops.maximum(1 - ops.abs(step / self.step_size - 2 * cycle + 1), 0.0)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else step)
        return self.initial_learning_rate + (self.maximal_learning_rate - self.initial_learning_rate) * height * scale

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        names = ("initial_learning_rate", "maximal_learning_rate", "scale_fn", "step_size", "scale_mode")
        return {name: getattr(self, name) for name in names}


class _Scaled(CyclicalLearningRate):
    """A cyclical rate whose factor belongs to its class."""

    def get_config(self) -> dict[str, Any]:
        return {key: value for key, value in super().get_config().items() if key != "scale_fn"}


@exported("addons.optimizers.TriangularCyclicalLearningRate")
@keras.saving.register_keras_serializable(_PACKAGE)
class TriangularCyclicalLearningRate(_Scaled):
    """A rate that rises to the same maximum again and again."""

    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_mode: str = "cycle",
        name: str = "TriangularCyclicalLearningRate",
    ) -> None:
        super().__init__(initial_learning_rate, maximal_learning_rate, step_size, lambda x: 1.0, scale_mode, name)


@exported("addons.optimizers.Triangular2CyclicalLearningRate")
@keras.saving.register_keras_serializable(_PACKAGE)
class Triangular2CyclicalLearningRate(_Scaled):
    """A rate whose rise is half as high in every further cycle."""

    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_mode: str = "cycle",
        name: str = "Triangular2CyclicalLearningRate",
    ) -> None:
        super().__init__(
            initial_learning_rate, maximal_learning_rate, step_size, lambda x: 1 / 2.0 ** (x - 1), scale_mode, name
        )


@exported("addons.optimizers.ExponentialCyclicalLearningRate")
@keras.saving.register_keras_serializable(_PACKAGE)
class ExponentialCyclicalLearningRate(_Scaled):
    """A rate whose rise is multiplied by gamma to the power of the step, or of the cycle."""

    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_mode: str = "iterations",
        gamma: float = 1.0,
        name: str = "ExponentialCyclicalLearningRate",
    ) -> None:
        super().__init__(initial_learning_rate, maximal_learning_rate, step_size, lambda x: gamma**x, scale_mode, name)
        self.gamma = gamma

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "gamma": self.gamma}
