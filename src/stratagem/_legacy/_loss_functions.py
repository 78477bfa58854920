"""Functions of losses and metrics that take and return what Keras 2's do."""

import functools
from collections.abc import Callable
from typing import Any

import keras

from stratagem._base.types import TensorLike


def _with_tensors(function: Callable[..., TensorLike]) -> Callable[..., TensorLike]:
    """Returns a function of labels and predictions that takes lists, too."""

    @functools.wraps(function)
    def converted(y_true: TensorLike, y_pred: TensorLike, *args: Any, **kwargs: Any) -> TensorLike:
        y_true, y_pred = (v if hasattr(v, "shape") else keras.ops.convert_to_tensor(v) for v in (y_true, y_pred))
        return function(y_true, y_pred, *args, **kwargs)

    return converted


sparse_categorical_crossentropy = _with_tensors(keras.losses.sparse_categorical_crossentropy)


@functools.wraps(keras.metrics.binary_accuracy)
def binary_accuracy(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> TensorLike:
    """Returns the share of predictions that match binary labels along the last axis; Keras 3 returns 0 or 1 for each."""
    return keras.ops.mean(keras.metrics.binary_accuracy(y_true, y_pred, threshold), axis=-1)
