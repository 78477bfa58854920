"""Layers of Keras 2 that Keras 3 has dropped."""

from typing import Any

import keras
from keras import ops

from stratagem._base.exports import exported


@exported("keras.layers.ThresholdedReLU")
@keras.saving.register_keras_serializable("stratagem")
class ThresholdedReLU(keras.layers.Layer):  # type: ignore[misc]
    """The activation that is x where x > theta, else 0 (Konda et al. 2015, arXiv:1402.3337).

    Raises ValueError for a negative theta.
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if theta is None or theta < 0:
            raise ValueError(
                f"Theta of a Thresholded ReLU layer cannot be None, expecting a float >= 0. Received: {theta}"
            )
        self.supports_masking = True
        self.theta = theta

    def call(self, inputs: Any) -> Any:
        """Returns the activation."""
        return inputs * ops.cast(ops.greater(inputs, self.theta), inputs.dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "theta": self.theta}


@exported("keras.layers.AbstractRNNCell")
class AbstractRNNCell(keras.layers.Layer):  # type: ignore[misc]
    """The base of a user's cell: `call(inputs, states)`, which returns the output and the new states, and the sizes of both."""

    def call(self, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Returns the output of a step and the new states. Raises NotImplementedError unless a subclass has its own."""
        raise NotImplementedError("An AbstractRNNCell needs a `call(inputs, states)` of its own.")

    @property
    def state_size(self) -> Any:
        """The size of the states. Raises NotImplementedError unless a subclass has its own."""
        raise NotImplementedError("An AbstractRNNCell needs a property `state_size` of its own.")

    @property
    def output_size(self) -> Any:
        """The size of the output. Raises NotImplementedError unless a subclass has its own."""
        raise NotImplementedError("An AbstractRNNCell needs a property `output_size` of its own.")

    def get_initial_state(self, inputs: Any = None, batch_size: int | None = None, dtype: Any = None) -> Any:
        """Returns zeros for a batch of the size of the inputs, or of this size."""
        size = batch_size if inputs is None else ops.shape(inputs)[0]
        type_ = dtype or (self.compute_dtype if inputs is None else inputs.dtype)

        def zeros(state: Any) -> Any:
            return ops.zeros((size, *([state] if isinstance(state, int) else list(state))), type_)

        return (
            [zeros(state) for state in self.state_size] if isinstance(self.state_size, list) else zeros(self.state_size)
        )
