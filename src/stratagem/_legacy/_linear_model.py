"""`tf.keras.experimental.LinearModel`, which Keras 3 has dropped."""

from collections.abc import Mapping
from typing import Any, Self, final

import keras

from stratagem._base.exports import exported


@exported("keras.experimental.LinearModel")
@final
@keras.saving.register_keras_serializable("stratagem")
class LinearModel(keras.Model):  # type: ignore[misc]
    """A weighted sum of all inputs and a bias, through an activation: of one tensor, or of the tensors of a list or a dict.

    units: the last dimension of the output. The other arguments are those of `tf.keras.layers.Dense`; kernels begin at zero.
    """

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "zeros",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.dense_layers: list[Any] = []
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Creates a kernel for each input, in the order of a dict's sorted keys, and the bias."""
        shapes: list[tuple[str | None, Any]] = [(None, input_shape)]
        if isinstance(input_shape, Mapping):
            shapes = sorted(input_shape.items())
        elif any(isinstance(part, list | tuple) for part in input_shape):
            shapes = [(None, part) for part in input_shape]
        self.dense_layers = [self._kernel(name) for name, _ in shapes]
        for layer, (_, shape) in zip(self.dense_layers, shapes, strict=True):
            layer.build(shape)
        if self.use_bias:
            first, regularizer = self.bias_initializer, self.bias_regularizer
            self.bias = self.add_weight((self.units,), initializer=first, regularizer=regularizer, name="bias")
        self.built = True

    def _kernel(self, name: str | None) -> keras.layers.Dense:
        return keras.layers.Dense(
            self.units,
            use_bias=False,
            kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer,
            name=name,
        )

    def call(self, inputs: Any) -> Any:
        """Returns the sum: (batch, units). Raises ValueError for a dict without the keys of the first call."""
        if isinstance(inputs, Mapping):
            names = [layer.name for layer in self.dense_layers]
            if missing := sorted(set(names) - set(inputs)):
                raise ValueError(
                    "The `inputs` dictionary does not match the structure expected by the model: it lacks "
                    f"{', '.join(missing)}, and has {', '.join(sorted(inputs))}."
                )
            inputs = [inputs[name] for name in names]
        parts = inputs if isinstance(inputs, list | tuple) else [inputs]
        sums = [layer(part) for layer, part in zip(self.dense_layers, parts, strict=False)]
        result = sum(sums[1:], sums[0])
        return self.activation(result if self.bias is None else result + self.bias)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {
            **keras.Layer.get_config(self),
            "units": self.units,
            "activation": keras.activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
            "kernel_regularizer": keras.regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": keras.regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """Returns the model that `get_config` describes."""
        return cls(**config)
