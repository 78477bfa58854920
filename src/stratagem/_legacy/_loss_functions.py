"""Functions of losses and metrics that take and return what Keras 2's do."""

import functools
from collections.abc import Callable
from typing import Any

import keras

from stratagem._base.exports import exported


def _with_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of labels and predictions that takes lists, too."""

    @functools.wraps(function)
    def converted(y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        y_true, y_pred = (v if hasattr(v, "shape") else keras.ops.convert_to_tensor(v) for v in (y_true, y_pred))
        return function(y_true, y_pred, *args, **kwargs)

    return converted


sparse_categorical_crossentropy = exported(
    "keras.losses.sparse_categorical_crossentropy", "keras.metrics.sparse_categorical_crossentropy"
)(_with_tensors(keras.losses.sparse_categorical_crossentropy))


@exported("keras.metrics.binary_accuracy")
@functools.wraps(keras.metrics.binary_accuracy)
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Returns the share of predictions that match binary labels along the last axis; Keras 3 returns 0 or 1 for each."""
    return keras.ops.mean(keras.metrics.binary_accuracy(y_true, y_pred, threshold), axis=-1)


@exported("keras.__internal__.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any,
    sample_weight: Any = None,
    reduction: str = "sum_over_batch_size",
    name: str | None = None,
) -> Any:
    """Returns losses times weights, or their sum, or their mean over all elements, in the losses' type.

    sample_weight: as the losses, or without their last dimension. reduction: "none", "sum" or "sum_over_batch_size" ("auto").
    Raises ValueError for another one.
    """
    if reduction not in ("auto", "none", "sum", "sum_over_batch_size"):
        raise ValueError(
            f'Invalid Reduction Key: {reduction}. Expected keys are "auto", "none", "sum" and "sum_over_batch_size".'
        )
    losses = keras.ops.convert_to_tensor(losses)
    dtype = keras.backend.standardize_dtype(losses.dtype)
    computed = dtype if "float" in dtype else "float32"
    weights = keras.ops.cast(1.0 if sample_weight is None else sample_weight, computed)
    ranks = len(weights.shape), len(losses.shape)
    if ranks[0] and ranks[0] == ranks[1] - 1:
        weights = keras.ops.expand_dims(weights, -1)
    elif ranks[0] == ranks[1] + 1 and weights.shape[-1] == 1:
        weights = keras.ops.squeeze(weights, -1)
    weighted = keras.ops.cast(losses, computed) * weights
    if reduction != "none":
        total = keras.ops.sum(weighted)
        weighted = total if reduction == "sum" else total / keras.ops.cast(keras.ops.size(weighted), computed)
    return keras.ops.cast(weighted, dtype)
