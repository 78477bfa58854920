"""Synchronized batch normalization, over the rows of all replicas, and the layer that TensorFlow first had for it."""

from typing import Any

import keras
from keras import ops

from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._private import let_batch_statistics_be_synchronized, reduction_axes


def _moments(layer: Any, inputs: Any, mask: Any | None) -> tuple[Any, Any]:
    """The mean and the variance over all replicas' rows that the mask lets through, of the shape of the axes that stay.

    As in TensorFlow, the variance is the mean of squares less the square of the mean: three sums are exchanged once.
    """
    axes = reduction_axes(layer)
    weights = ops.ones_like(inputs)
    if mask is not None:
        weights = ops.broadcast_to(ops.cast(ops.expand_dims(mask, -1), inputs.dtype), ops.shape(inputs))
    rows = inputs * weights
    sums = [ops.sum(each, axis=axes) for each in (rows, rows * inputs, weights)]
    replica: Any = current().replica
    total, squares, count = sums if replica is None else replica.all_reduce("SUM", sums)
    mean = total / count
    return mean, squares / count - ops.square(mean)


def attach_synchronized_normalization() -> None:
    """Let `BatchNormalization(synchronized=True)` normalize over the rows of all replicas."""
    let_batch_statistics_be_synchronized(_moments)


@exported("keras.layers.experimental.SyncBatchNormalization")
@keras.saving.register_keras_serializable("stratagem")
class SyncBatchNormalization(keras.layers.BatchNormalization):  # type: ignore[misc]
    """Batch normalization over the rows of all replicas: `BatchNormalization(synchronized=True)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "synchronized": True})
