"""tf1.losses: the losses."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import (
    Tensor,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    tensor,
)
from stratagem._tf1.graph._function_wrappers import extended
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import building_here
from stratagem._tf1.graph.losses._weighted import (
    Reduction,
    add_loss,
    check_same_shape,
    check_weights,
    compute_weighted_loss,
    present,
    ratio,
)

_LOSSES = GraphKeys.LOSSES
_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS

Losses = tuple[Tensor, Any]  # the losses of the elements, and their weights


def _loss(default_scope: str) -> Callable[[Callable[..., Losses]], Callable[..., Tensor]]:
    """Makes a loss of tf1.losses, with three additional arguments, from a function that returns element losses and weights."""

    def loss_of(function: Callable[..., Losses]) -> Callable[..., Tensor]:
        def weighted(
            arguments: tuple[Any, ...],
            scope: str | None = None,
            loss_collection: str | None = _LOSSES,
            reduction: str = _DEFAULT,
        ) -> Tensor:
            losses, weights = function(*arguments)
            return compute_weighted_loss(losses, weights, scope or default_scope, loss_collection, reduction)

        return extended(function, weighted)

    return loss_of


def _alike(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Returns both as float32. Raises ValueError if one is None or the shapes differ."""
    _demand(labels=labels, predictions=predictions)
    truth, guess = tensor(labels).astype(np.float32), tensor(predictions).astype(np.float32)
    check_same_shape(guess, truth)
    return truth, guess


@exported(v1=["losses.absolute_difference"])
@_loss("absolute_difference")
def absolute_difference(labels: Any, predictions: Any, weights: Any = 1.0) -> Losses:
    """Returns the absolute difference, |predictions - labels|."""
    truth, guess = _alike(labels, predictions)
    return jnp.abs(guess - truth), weights


@exported(v1=["losses.cosine_distance"])
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
    dim: int | None = None,
) -> Tensor:
    """Returns 1 - the scalar product along `axis` (formerly dim) of vectors that already have length 1."""
    along = dim if axis is None else axis
    if along is None:
        raise ValueError("You must specify argument `axis`.")
    truth, guess = _alike(labels, predictions)
    losses = 1 - jnp.sum(guess * truth, along, keepdims=True)
    return compute_weighted_loss(losses, weights, scope or "cosine_distance_loss", loss_collection, reduction)


@exported(v1=["losses.hinge_loss"])
@_loss("hinge_loss")
def hinge_loss(labels: Any, logits: Any, weights: Any = 1.0) -> Losses:
    """Returns the hinge loss: max(0, 1 - logits) for labels 1, max(0, 1 + logits) for labels 0."""
    truth, guess = _alike(labels, logits)
    return jax.nn.relu(1 - (2 * truth - 1) * guess), weights


@exported(v1=["losses.huber_loss"])
@_loss("huber_loss")
def huber_loss(labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0) -> Losses:
    """Returns the Huber loss: half the squared error up to `delta`, linear beyond."""
    truth, guess = _alike(labels, predictions)
    error = jnp.abs(guess - truth)
    small = jnp.minimum(error, delta)
    return 0.5 * small * small + delta * (error - small), weights


@exported(v1=["losses.log_loss"])
@_loss("log_loss")
def log_loss(labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7) -> Losses:
    """Returns -log of the predicted probability of the label, for predictions in [0, 1] and labels 0 or 1."""
    truth, guess = _alike(labels, predictions)
    return -truth * jnp.log(guess + epsilon) - (1 - truth) * jnp.log(1 - guess + epsilon), weights


@exported(v1=["losses.mean_squared_error"])
@_loss("mean_squared_error")
def mean_squared_error(labels: Any, predictions: Any, weights: Any = 1.0) -> Losses:
    """Returns the squared error, (predictions - labels) ** 2."""
    truth, guess = _alike(labels, predictions)
    return jnp.square(guess - truth), weights


@exported(v1=["losses.mean_pairwise_squared_error"])
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
) -> Tensor:
    """Returns the mean squared difference between the errors of each pair of elements of an example, summed over examples."""
    truth, guess = _alike(labels, predictions)
    weight, errors = check_weights(weights, truth.shape), guess - truth
    axes = tuple(range(1, errors.ndim))
    count = jnp.sum(present(weight, errors.shape), axes, keepdims=True)
    squares = ratio(jnp.sum(jnp.square(errors), axes, keepdims=True), jnp.maximum(count - 1, 0))
    square = ratio(jnp.square(jnp.sum(errors, axes, keepdims=True)), jnp.maximum(count * (count - 1), 0))
    loss = jnp.where(jnp.sum(count) > 0, jnp.sum((2 * squares - 2 * square) * weight), 0.0)
    building = building_here()
    if building is not None:
        with building.scopes.name_scope(scope or "mean_pairwise_squared_error"):
            add_loss(loss, loss_collection)
    return loss


@exported(v1=["losses.sigmoid_cross_entropy"])
@_loss("sigmoid_cross_entropy_loss")
def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0
) -> Losses:
    """Returns the cross entropy of independent binary labels. label_smoothing: moves labels towards 0.5."""
    _demand(multi_class_labels=multi_class_labels, logits=logits)
    truth, scores = _cast_to_logits(multi_class_labels, logits)
    if label_smoothing > 0:
        truth = truth * (1 - label_smoothing) + 0.5 * label_smoothing
    return sigmoid_cross_entropy_with_logits(truth, scores), weights


@exported(v1=["losses.softmax_cross_entropy"])
@_loss("softmax_cross_entropy_loss")
def softmax_cross_entropy(onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0) -> Losses:
    """Returns the cross entropy of class probabilities. label_smoothing: moves labels towards equal probabilities."""
    _demand(onehot_labels=onehot_labels, logits=logits)
    truth, scores = _cast_to_logits(onehot_labels, logits)
    if label_smoothing > 0:
        truth = truth * (1.0 - label_smoothing) + label_smoothing / truth.shape[-1]
    return softmax_cross_entropy_with_logits(jax.lax.stop_gradient(truth), scores), weights


@exported(v1=["losses.sparse_softmax_cross_entropy"])
@_loss("sparse_softmax_cross_entropy_loss")
def sparse_softmax_cross_entropy(labels: Any, logits: Any, weights: Any = 1.0) -> Losses:
    """Returns the cross entropy of class indices (n,) or (n, 1) and logits (n, classes)."""
    _demand(labels=labels, logits=logits)
    truth, scores, weight = tensor(labels), tensor(logits), tensor(weights)
    if truth.ndim == scores.ndim and truth.shape[-1] == 1:
        truth = truth[..., 0]
    if weight.ndim == truth.ndim + 1 and weight.shape[-1] == 1:
        weight = weight[..., 0]
    return sparse_softmax_cross_entropy_with_logits(truth, scores), weight


def _demand(**given: Any) -> None:
    for name, value in given.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _cast_to_logits(labels: Any, logits: Any) -> tuple[Tensor, Tensor]:
    scores = tensor(logits)
    truth = tensor(labels).astype(scores.dtype)
    check_same_shape(scores, truth, "logits")
    return truth, scores
