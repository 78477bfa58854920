"""Layers of TensorFlow Addons that Keras 3 does not have."""

import logging
from typing import Any

import keras
from keras import ops

from stratagem._addons import _activations as activations
from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported

_log = logging.getLogger("stratagem")

_PACKAGE = "Addons"


@exported("addons.layers.InstanceNormalization")
@keras.saving.register_keras_serializable(_PACKAGE)
class InstanceNormalization(keras.layers.GroupNormalization):  # type: ignore[misc]
    """Group normalization with as many groups as channels (Ulyanov et al. 2016, arXiv:1607.08022)."""

    def __init__(self, **kwargs: Any) -> None:
        if kwargs.pop("groups", -1) != -1:
            _log.warning("InstanceNormalization: the given value for groups is ignored.")
        super().__init__(groups=-1, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {key: value for key, value in super().get_config().items() if key != "groups"}


@exported("addons.layers.FilterResponseNormalization")
@keras.saving.register_keras_serializable(_PACKAGE)
class FilterResponseNormalization(keras.layers.Layer):  # type: ignore[misc]
    """Division by the root of the mean square over dimensions, without a mean (Singh and Krishnan 2020, arXiv:1911.09737).

    axis: the dimensions of an example, beside channels. learned_epsilon: epsilon is a variable, less than which the added
    number never is.
    """

    def __init__(
        self,
        epsilon: float = 1e-6,
        axis: Any = (1, 2),
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        learned_epsilon: bool = False,
        learned_epsilon_constraint: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.epsilon, self.use_eps_learned = epsilon, learned_epsilon
        self.axis = [axis] if isinstance(axis, int) else list(axis)
        for kind, value in (("beta_initializer", beta_initializer), ("gamma_initializer", gamma_initializer)):
            setattr(self, kind, keras.initializers.get(value))
        self.beta_regularizer = keras.regularizers.get(beta_regularizer)
        self.gamma_regularizer = keras.regularizers.get(gamma_regularizer)
        self.beta_constraint = keras.constraints.get(beta_constraint)
        self.gamma_constraint = keras.constraints.get(gamma_constraint)
        self.learned_epsilon_constraint = keras.constraints.get(learned_epsilon_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes a scale and an offset for every channel."""
        shape = (input_shape[-1],)
        for kind in ("gamma", "beta"):
            options = {name: getattr(self, f"{kind}_{name}") for name in ("initializer", "regularizer", "constraint")}
            setattr(self, kind, self.add_weight(shape=shape, name=kind, **options))
        if self.use_eps_learned:
            self.eps_learned = self.add_weight(
                shape=(1,),
                name="learned_epsilon",
                initializer=keras.initializers.Constant(1e-4),
                constraint=self.learned_epsilon_constraint,
            )

    def call(self, inputs: Any) -> Any:
        """Returns the inputs, normalized, scaled and shifted."""
        square = ops.mean(ops.square(inputs), axis=self.axis, keepdims=True)
        added = self.epsilon + (ops.abs(self.eps_learned) if self.use_eps_learned else 0.0)
        return inputs * ops.rsqrt(square + added) * self.gamma + self.beta

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        kinds = {"initializer": keras.initializers, "regularizer": keras.regularizers, "constraint": keras.constraints}
        mine: dict[str, Any] = {
            f"{of}_{kind}": module.serialize(getattr(self, f"{of}_{kind}"))
            for of in ("beta", "gamma")
            for kind, module in kinds.items()
        }
        constraint = keras.constraints.serialize(self.learned_epsilon_constraint)
        mine |= {"epsilon": self.epsilon, "axis": self.axis, "learned_epsilon": self.use_eps_learned}
        return {**super().get_config(), **mine, "learned_epsilon_constraint": constraint}


@exported("addons.layers.Maxout")
@keras.saving.register_keras_serializable(_PACKAGE)
class Maxout(keras.layers.Layer):  # type: ignore[misc]
    """The largest of each group of channels, so that `num_units` remain (Goodfellow et al. 2013, arXiv:1302.4389)."""

    def __init__(self, num_units: int, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_units, self.axis = num_units, axis

    def call(self, inputs: Any) -> Any:
        """Returns the largest channels. Raises ValueError where the channels cannot be divided among the units."""
        shape = list(inputs.shape)
        axis = self.axis % len(shape)
        if shape[axis] % self.num_units:
            raise ValueError(f"number of features({shape[axis]}) is not a multiple of num_units({self.num_units})")
        groups = [-1 if size is None else size for size in shape]
        groups[axis : axis + 1] = [shape[axis] // self.num_units, self.num_units]
        return ops.max(ops.reshape(inputs, groups), axis=axis)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "num_units": self.num_units, "axis": self.axis}


@exported("addons.layers.StochasticDepth")
@keras.saving.register_keras_serializable(_PACKAGE)
class StochasticDepth(keras.layers.Layer):  # type: ignore[misc]
    """The sum of a shortcut and a residual branch, which is dropped for a step with a probability (arXiv:1603.09382)."""

    def __init__(self, survival_probability: float = 0.5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.survival_probability = survival_probability
        self.seed_generator = keras.random.SeedGenerator()

    def call(self, x: Any, training: bool | None = None) -> Any:
        """Returns the sum of [shortcut, residual]; outside of training the residual times its probability."""
        if not isinstance(x, list) or len(x) != 2:
            raise ValueError("input must be a list of length 2.")
        shortcut, residual = x
        if not training:
            return shortcut + self.survival_probability * residual
        drawn = keras.random.uniform((), seed=self.seed_generator)
        return shortcut + ops.cast(drawn < self.survival_probability, residual.dtype) * residual

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the shortcut."""
        return input_shape[0]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "survival_probability": self.survival_probability}


@exported("addons.layers.GELU")
@keras.saving.register_keras_serializable(_PACKAGE)
class GELU(keras.layers.Layer):  # type: ignore[misc]
    """The activation `gelu`."""

    def __init__(self, approximate: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.approximate = approximate

    def call(self, inputs: Any) -> Any:
        """Returns the activation."""
        return activations.gelu(inputs, self.approximate)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "approximate": self.approximate}


@exported("addons.layers.Sparsemax")
@keras.saving.register_keras_serializable(_PACKAGE)
class Sparsemax(keras.layers.Layer):  # type: ignore[misc]
    """The activation `sparsemax`."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        """Returns the activation."""
        return activations.sparsemax(inputs, self.axis)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "axis": self.axis}


@exported("addons.layers.Snake")
@keras.saving.register_keras_serializable(_PACKAGE)
class Snake(keras.layers.Layer):  # type: ignore[misc]
    """The activation `snake`, whose frequency is learned."""

    def __init__(self, frequency_initializer: Any = "ones", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.frequency_initializer = keras.initializers.get(frequency_initializer)
        self.frequency = self.add_weight(
            shape=(), initializer=self.frequency_initializer, trainable=True, name="frequency"
        )

    def call(self, inputs: Any) -> Any:
        """Returns the activation."""
        return inputs + (1 - ops.cos(2 * self.frequency * inputs)) / (2 * self.frequency)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        initializer = keras.initializers.serialize(self.frequency_initializer)
        return {**super().get_config(), "frequency_initializer": initializer}


@exported("addons.layers.WeightNormalization")
@keras.saving.register_keras_serializable(_PACKAGE)
class WeightNormalization(keras.layers.Wrapper):  # type: ignore[misc]
    """A layer whose kernel is a direction times a length of each output (Salimans and Kingma 2016, arXiv:1602.07868).

    layer: one with a `kernel`, which becomes the direction `v`; the lengths `g` begin as those of `v`. data_init: whether they
    begin with values made of the first batch, which is not provided: it needs values where a step is compiled. Raises
    UnimplementedError unless it is False, and ValueError for a layer without a kernel.
    """

    def __init__(self, layer: keras.layers.Layer, data_init: bool = True, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        if data_init:
            raise UnimplementedError(
                f"WeightNormalization of {layer.name!r}: initial values made of the first batch are not provided. Pass "
                "data_init=False: the layer then begins as it would without WeightNormalization."
            )
        self.data_init = data_init

    def build(self, input_shape: Any = None) -> None:
        """Makes the layer's weights, and the lengths."""
        super().build(input_shape)
        if not hasattr(self.layer, "kernel"):
            raise ValueError("`WeightNormalization` must wrap a layer that contains a `kernel` for weights")
        self.v = self.layer.kernel
        self.kernel_norm_axes = list(range(len(self.v.shape) - 1))
        self.g = self.add_weight(
            shape=(self.v.shape[-1],),
            name="g",
            initializer=lambda shape, dtype: ops.cast(self._lengths(), dtype),
        )

    def _lengths(self) -> Any:
        return ops.sqrt(ops.sum(ops.square(ops.convert_to_tensor(self.v)), axis=self.kernel_norm_axes))

    def call(self, inputs: Any) -> Any:
        """Returns what the layer does with the normalized kernel."""
        squares = ops.sum(ops.square(self.v), axis=self.kernel_norm_axes, keepdims=True)
        kernel = self.v * ops.rsqrt(ops.maximum(squares, 1e-12)) * self.g
        attributes: dict[str, Any] = self.layer.__dict__
        name = next(name for name, value in attributes.items() if value is self.v)
        attributes[name] = ops.cast(kernel, self.layer.compute_dtype)  # past Keras, which would take it for a weight
        try:
            return self.layer(inputs)
        finally:
            attributes[name] = self.v

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the layer's output."""
        return self.layer.compute_output_shape(input_shape)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "data_init": self.data_init}
