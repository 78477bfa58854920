"""tf1.metrics: means of values, of errors, and of correct predictions."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import Tensor, tensor
from stratagem._tf1.graph.losses._weighted import check_same_shape, check_weights, ratio
from stratagem._tf1.graph.metrics._metric import Measure, alike, metric, quotient, ranked, squeezed


@exported(v1=["metrics.mean"])
@metric("mean")
def mean(values: Any, weights: Any = None) -> Measure:
    """Measures the weighted mean of all values; 0 before the first."""
    return _mean(values, weights)


def _mean(values: Any, weights: Any, result: Callable[[Tensor], Tensor] = lambda mean: mean) -> Measure:
    """Measures the weighted mean of `values`. result: computes the metric's value from that mean."""
    numbers, weight = _weighted(values, weights)
    amounts = {"total": jnp.sum(numbers * weight), "count": jnp.sum(weight)}
    return amounts, lambda sums: result(quotient()(sums))


def _weighted(values: Any, weights: Any) -> tuple[Tensor, Tensor]:
    numbers = tensor(values).astype(np.float32)
    weight = ranked(1.0 if weights is None else weights, numbers.ndim)
    return numbers, jnp.broadcast_to(check_weights(weight, numbers.shape), numbers.shape)


@exported(v1=["metrics.mean_tensor"])
@metric("mean")
def mean_tensor(values: Any, weights: Any = None) -> Measure:
    """Measures the weighted mean of each element of `values` over the batches, in the shape of `values`."""
    numbers, weight = _weighted(values, weights)
    amounts = {"total_tensor": numbers * weight, "count_tensor": weight}
    return amounts, quotient("total_tensor", "count_tensor")


@exported(v1=["metrics.accuracy"])
@metric("accuracy")
def accuracy(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Measures how often predictions equal labels."""
    guess, truth, weight = alike(predictions, labels, weights)
    right = guess.astype(truth.dtype) == truth
    return _mean(right, weight)


@exported(v1=["metrics.mean_absolute_error"])
@metric("mean_absolute_error")
def mean_absolute_error(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Measures the mean of |predictions - labels|."""
    guess, truth, weight = alike(predictions, labels, weights)
    return _mean(jnp.abs(guess - truth), weight)


@exported(v1=["metrics.mean_squared_error"])
@metric("mean_squared_error")
def mean_squared_error(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Measures the mean of (predictions - labels) ** 2."""
    guess, truth, weight = alike(predictions, labels, weights)
    return _mean(jnp.square(guess - truth), weight)


@exported(v1=["metrics.root_mean_squared_error"])
@metric("root_mean_squared_error")
def root_mean_squared_error(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Measures the square root of the mean of (predictions - labels) ** 2."""
    guess, truth, weight = alike(predictions, labels, weights)
    return _mean(jnp.square(guess - truth), weight, jnp.sqrt)


@exported(v1=["metrics.mean_relative_error"])
@metric("mean_relative_error")
def mean_relative_error(labels: Any, predictions: Any, normalizer: Any, weights: Any = None) -> Measure:
    """Measures the mean of |labels - predictions| / normalizer; 0 where the normalizer is 0.

    Raises ValueError for a normalizer of another shape.
    """
    guess, truth, weight = alike(predictions, labels, weights)
    errors, scale = squeezed(jnp.abs(truth - guess), tensor(normalizer))
    check_same_shape(errors, scale, "labels", "normalizer")
    errors = ratio(errors, scale)
    return _mean(errors, weight)


@exported(v1=["metrics.mean_cosine_distance"])
@metric("mean_cosine_distance")
def mean_cosine_distance(labels: Any, predictions: Any, dim: int, weights: Any = None) -> Measure:
    """Measures 1 - the mean scalar product along `dim` of vectors of length 1."""
    guess, truth, weight = alike(predictions, labels, weights)
    products = jnp.sum(guess * truth, dim, keepdims=True)
    return _mean(products, weight, lambda mean: 1.0 - mean)


@exported(v1=["metrics.percentage_below"])
@metric("percentage_below_threshold")
def percentage_below(values: Any, threshold: Any, weights: Any = None) -> Measure:
    """Measures the share of values less than `threshold`."""
    below = tensor(values) < threshold
    return _mean(below, weights)


@exported(v1=["metrics.mean_per_class_accuracy"])
@metric("mean_accuracy")
def mean_per_class_accuracy(labels: Any, predictions: Any, num_classes: int, weights: Any = None) -> Measure:
    """Measures the accuracy of each class, averaged over the classes. Examples with other labels are ignored."""
    truth, guess = _classes(labels, num_classes), tensor(predictions).reshape(-1)
    weight = jnp.ones(truth.shape, np.float32) if weights is None else tensor(weights).astype(np.float32).reshape(-1)
    right = (guess.astype(truth.dtype) == truth).astype(np.float32)
    empty = jnp.zeros(num_classes, np.float32)
    amounts = {"total": empty.at[truth].add(weight), "count": empty.at[truth].add(right * weight)}
    return amounts, lambda sums: jnp.mean(quotient("count", "total")(sums))


def _classes(values: Any, num_classes: int) -> Tensor:
    """Returns class indices as a vector of int64, negative ones replaced by one that is too large, so that both are ignored."""
    numbers = tensor(values).astype(np.int64).reshape(-1)
    return jnp.where(numbers < 0, num_classes, numbers)


@exported(v1=["metrics.mean_iou"])
@metric("mean_iou")
def mean_iou(labels: Any, predictions: Any, num_classes: int, weights: Any = None) -> Measure:
    """Measures the intersection over union of labels and predictions of each class, averaged over the classes that occur.

    Examples with labels or predictions outside 0 … num_classes - 1 are ignored.
    """
    truth, guess = _classes(labels, num_classes), _classes(predictions, num_classes)
    weight = jnp.ones(truth.shape, np.float64) if weights is None else tensor(weights).astype(np.float64).reshape(-1)
    matrix = jnp.zeros((num_classes, num_classes), np.float64).at[truth, guess].add(weight)

    def value(sums: dict[str, Any]) -> Tensor:
        total = sums["total_confusion_matrix"]
        right = jnp.diagonal(total).astype(np.float32)
        union = jnp.sum(total, 0).astype(np.float32) + jnp.sum(total, 1).astype(np.float32) - right
        seen = jnp.sum(union != 0).astype(np.float32)
        return ratio(jnp.sum(right / jnp.where(union > 0, union, 1.0)), seen)

    return {"total_confusion_matrix": matrix}, value
