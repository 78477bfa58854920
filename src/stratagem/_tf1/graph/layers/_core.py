"""tf1.layers: dense, dropout, flatten."""

from collections.abc import Callable
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import Tensor, bias_add, tensor
from stratagem._ops.sampling import dropout as _dropped
from stratagem._tf1.graph.layers._layer import Layer, as_function, python_bool, weight_settings

Activation = Callable[[Any], Any] | None


@exported(v1=["layers.Dense"])
@final
class Dense(Layer):
    """A fully connected layer, activation(inputs @ kernel + bias), over the last dimension: (..., n) to (..., units)."""

    def __init__(
        self,
        units: int,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self._kernel_settings = weight_settings(kernel_initializer, kernel_regularizer, kernel_constraint)
        self._bias_settings = weight_settings(bias_initializer, bias_regularizer, bias_constraint)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Creates the kernel and the bias."""
        self.kernel = self.add_weight("kernel", (input_shape[-1], self.units), **self._kernel_settings)
        self.bias = self.add_weight("bias", (self.units,), **self._bias_settings) if self.use_bias else None

    def call(self, inputs: Any) -> Tensor:
        """Returns the output."""
        outputs = jnp.matmul(inputs.astype(self.dtype), tensor(self.kernel))
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


@exported(v1=["layers.Dropout"])
@final
class Dropout(Layer):
    """A layer that, while training, zeroes elements with probability `rate` and scales the rest up by 1 / (1 - rate)."""

    def __init__(
        self,
        rate: float = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        """Returns the output: the inputs themselves unless `training`."""
        if not python_bool(training, self.name):
            return inputs
        return _dropped(inputs, self.rate, self.noise_shape, self.seed)


@exported(v1=["layers.Flatten"])
@final
class Flatten(Layer):
    """A layer that makes every example a vector: (n, ...) to (n, k). "channels_first" inputs are reordered to channels_last."""

    def __init__(self, data_format: str = "channels_last", name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.data_format = data_format

    def call(self, inputs: Any) -> Tensor:
        """Returns the output."""
        if self.data_format == "channels_first" and inputs.ndim > 2:
            inputs = jnp.moveaxis(inputs, 1, -1)
        return inputs.reshape(inputs.shape[0], int(np.prod(inputs.shape[1:])))


dense = exported(v1=["layers.dense"])(as_function(Dense, "dense"))


@exported(v1=["layers.dropout"])
def dropout(
    inputs: Any,
    rate: float = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `Dropout(...)(inputs, training=training)`."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


@exported(v1=["layers.flatten"])
def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """Returns `Flatten(...)(inputs)`."""
    return Flatten(data_format, name)(inputs)
