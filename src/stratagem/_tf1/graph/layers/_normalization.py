"""tf1.layers: batch normalization, whose moving statistics are updated by operations in UPDATE_OPS."""

import functools
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.values import VariableAggregation
from stratagem._ops import Tensor, moments, tensor
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import current_building
from stratagem._tf1.graph._operations import Operation
from stratagem._tf1.graph.layers._layer import Layer, python_bool, weight_settings


@exported(v1=["layers.BatchNormalization"])
@final
class BatchNormalization(Layer):
    """A layer that normalizes each channel to mean 0 and variance 1, then scales it by gamma and shifts it by beta.

    In training it uses the statistics of the batch (on each replica), else the moving ones. The operations in the collection
    UPDATE_OPS update these; a layer that is not trainable has none. axis: the dimension of the channels.
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise UnimplementedError(
                "batch_normalization: renorm, virtual_batch_size and adjustment are not provided; normalize by the batch."
            )
        if isinstance(axis, list | tuple) and len(axis) != 1:
            raise UnimplementedError(f"batch_normalization: one axis has the channels, got {axis}.")
        self.axis = int(axis[0] if isinstance(axis, list | tuple) else axis)
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self._fused = fused
        self._settings = {
            "gamma": weight_settings(gamma_initializer, gamma_regularizer, gamma_constraint),
            "beta": weight_settings(beta_initializer, beta_regularizer, beta_constraint),
            "moving_mean": weight_settings(moving_mean_initializer),
            "moving_variance": weight_settings(moving_variance_initializer),
        }
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Creates gamma, beta and the moving statistics: one number for each channel, at least float32."""
        shape, dtype = (input_shape[self.axis],), jnp.promote_types(self.dtype, np.float32)
        self.gamma = self.add_weight("gamma", shape, dtype, **self._settings["gamma"]) if self.scale else None
        self.beta = self.add_weight("beta", shape, dtype, **self._settings["beta"]) if self.center else None
        still: dict[str, Any] = {"trainable": False, "aggregation": VariableAggregation.MEAN}
        self.moving_mean = self.add_weight("moving_mean", shape, dtype, **self._settings["moving_mean"], **still)
        self.moving_variance = self.add_weight(
            "moving_variance", shape, dtype, **self._settings["moving_variance"], **still
        )

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        """Returns the output."""
        axis = self.axis % inputs.ndim
        others = [i for i in range(inputs.ndim) if i != axis]
        mean, variance = tensor(self.moving_mean), tensor(self.moving_variance)
        if python_bool(training, self.name) and inputs.shape[0]:  # a replica without rows keeps the moving statistics
            mean, variance = moments(inputs.astype(mean.dtype), others)
            if self.trainable:
                fused = self._fused is not False and inputs.ndim in (4, 5) and axis in (1, inputs.ndim - 1)
                self._defer_updates(mean, variance, inputs.size // inputs.shape[axis], fused)
        broad = [1] * inputs.ndim
        broad[axis] = inputs.shape[axis]
        factor = 1 / jnp.sqrt(variance + jnp.asarray(self.epsilon, variance.dtype))
        factor = factor if self.gamma is None else factor * tensor(self.gamma)
        shift = -mean * factor if self.beta is None else tensor(self.beta) - mean * factor
        return (inputs * factor.reshape(broad) + shift.reshape(broad)).astype(inputs.dtype)

    def _defer_updates(self, mean: Any, variance: Any, count: int, fused: bool) -> None:
        # TensorFlow's fused kernel, used for images and volumes up to float32, accumulates the unbiased variance.
        if fused and variance.dtype == jnp.float32:
            variance = variance * (count / max(count - 1, 1))
        updates = current_building().collections[GraphKeys.UPDATE_OPS]
        for moving, new in ((self.moving_mean, mean), (self.moving_variance, variance)):
            updates.append(Operation("AssignMovingAvg", functools.partial(_follow, moving, new, 1 - self.momentum)))


def _follow(moving: Any, new: Any, part: float) -> Any:
    """Moves `moving` towards `new` from its current value, so that a layer called twice makes two updates."""
    moving.assign_sub((moving.value - new) * jnp.asarray(part, new.dtype))
    return moving.value


@exported(v1=["layers.batch_normalization"])
def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = "zeros",
    gamma_initializer: Any = "ones",
    moving_mean_initializer: Any = "zeros",
    moving_variance_initializer: Any = "ones",
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: bool = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Tensor:
    """Returns `BatchNormalization(...)(inputs, training=training)`."""
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        moving_mean_initializer,
        moving_variance_initializer,
        beta_regularizer,
        gamma_regularizer,
        beta_constraint,
        gamma_constraint,
        renorm,
        renorm_clipping,
        renorm_momentum,
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name,
        _scope=name,
        _reuse=reuse,
    )
    return layer(inputs, training=training)
