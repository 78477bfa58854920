"""Losses of TensorFlow Addons."""

from collections.abc import Callable
from typing import Any, ClassVar

import keras
from keras import ops

from stratagem._base.exports import exported

_PACKAGE = "Addons"  # TensorFlow Addons' name in files of models

DistanceMetric = str | Callable[[Any], Any]


@exported("addons.losses.sigmoid_focal_crossentropy")
def sigmoid_focal_crossentropy(
    y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False
) -> Any:
    """Returns the focal loss of every example, a sum over its classes (Lin et al. 2017, arXiv:1708.02002).

    alpha: the weight of positive examples, 1 - alpha that of negative ones; None or 0: no weights. gamma: the exponent of
    one minus the probability of the right answer. Raises ValueError for a negative gamma.
    """
    if gamma and gamma < 0:
        raise ValueError("Value of gamma should be greater than or equal to zero.")
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.cast(y_true, y_pred.dtype)
    loss = ops.binary_crossentropy(y_true, y_pred, from_logits=from_logits)
    probability = ops.sigmoid(y_pred) if from_logits else y_pred
    if alpha:
        loss *= y_true * alpha + (1 - y_true) * (1 - alpha)
    if gamma:
        loss *= ops.power(1 - (y_true * probability + (1 - y_true) * (1 - probability)), gamma)
    return ops.sum(loss, axis=-1)


@exported("addons.losses.contrastive_loss")
def contrastive_loss(y_true: Any, y_pred: Any, margin: float = 1.0) -> Any:
    """Returns the loss of distances between pairs, which are equal (1) or differ (0) (Hadsell, Chopra, LeCun 2006)."""
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.cast(y_true, y_pred.dtype)
    return y_true * ops.square(y_pred) + (1 - y_true) * ops.square(ops.maximum(margin - y_pred, 0.0))


@exported("addons.losses.pinball_loss")
def pinball_loss(y_true: Any, y_pred: Any, tau: float = 0.5) -> Any:
    """Returns the mean loss of a quantile tau along the last dimension (Koenker and Bassett 1978)."""
    y_pred = ops.convert_to_tensor(y_pred)
    missing = ops.cast(y_true, y_pred.dtype) - y_pred
    return ops.mean(ops.maximum(tau * missing, (tau - 1) * missing), axis=-1)


@exported("addons.losses.triplet_semihard_loss")
def triplet_semihard_loss(y_true: Any, y_pred: Any, margin: float = 1.0, distance_metric: DistanceMetric = "L2") -> Any:
    """Returns the triplet loss of embeddings with semi-hard negatives (Schroff et al. 2015, arXiv:1503.03832).

    y_true: (n,) classes; y_pred: (n, d) embeddings. A pair of one class is compared with the nearest example of another class
    that is farther away than it; without one, with the farthest example of another class.
    """
    distances, same = _distances_and_classes(y_true, y_pred, distance_metric)
    # [i, j, k]: the pair i, j of one class, and a third k
    farther = (distances[:, None, :] > distances[:, :, None]) & ~same[:, None, :]
    largest = ops.max(distances, axis=1, keepdims=True)
    outside = ops.min(ops.where(farther, distances[:, None, :], largest[:, None, :]), axis=2)
    smallest = ops.min(distances, axis=1, keepdims=True)
    inside = ops.max(ops.where(same, smallest, distances), axis=1, keepdims=True)
    negatives = ops.where(ops.any(farther, axis=2), outside, inside)
    pairs = _pairs(same, distances.dtype)
    return ops.sum(ops.maximum((margin + distances - negatives) * pairs, 0.0)) / ops.sum(pairs)


@exported("addons.losses.triplet_hard_loss")
def triplet_hard_loss(
    y_true: Any,
    y_pred: Any,
    margin: float = 1.0,
    soft: bool = False,
    distance_metric: DistanceMetric = "L2",
) -> Any:
    """Returns the triplet loss of embeddings with the hardest positive and negative of each (arXiv:1703.07737).

    y_true: (n,) classes; y_pred: (n, d) embeddings. soft: log(1 + e^x) in place of max(x + margin, 0).
    """
    distances, same = _distances_and_classes(y_true, y_pred, distance_metric)
    largest, smallest = ops.max(distances, axis=1, keepdims=True), ops.min(distances, axis=1, keepdims=True)
    negative = ops.min(ops.where(same, largest, distances), axis=1)
    positive = ops.max(ops.where(_pairs(same, distances.dtype) > 0, distances, smallest), axis=1)
    excess = positive - negative
    return ops.mean(ops.log1p(ops.exp(excess)) if soft else ops.maximum(excess + margin, 0.0))


def _distances_and_classes(y_true: Any, y_pred: Any, metric: DistanceMetric) -> tuple[Any, Any]:
    """The distances between all embeddings (n, n), and whether they are of one class."""
    classes = ops.reshape(ops.convert_to_tensor(y_true), (-1, 1))
    embeddings = ops.convert_to_tensor(y_pred)
    same = ops.equal(classes, ops.transpose(classes))
    if callable(metric):
        return metric(embeddings), same
    if metric == "angular":
        unit = ops.normalize(embeddings, axis=1)
        return 1 - ops.matmul(unit, ops.transpose(unit)), same
    if metric not in ("L2", "squared-L2"):
        raise ValueError(
            f"distance_metric is {metric!r}: expected 'L2', 'squared-L2', 'angular' or a function of embeddings."
        )
    squares = ops.sum(ops.square(embeddings), axis=1, keepdims=True)
    squared = ops.maximum(squares + ops.transpose(squares) - 2 * ops.matmul(embeddings, ops.transpose(embeddings)), 0.0)
    squared = squared * (1 - ops.eye(squared.shape[0], dtype=squared.dtype))
    if metric == "squared-L2":
        return squared, same
    zero = ops.less_equal(squared, 0.0)  # where the root has no derivative
    return ops.where(zero, 0.0, ops.sqrt(ops.where(zero, 1.0, squared))), same


def _pairs(same: Any, dtype: str) -> Any:
    """1 for two examples of one class, 0 on the diagonal."""
    return ops.cast(same, dtype) - ops.eye(same.shape[0], dtype=dtype)


for _function in (sigmoid_focal_crossentropy, contrastive_loss, pinball_loss, triplet_semihard_loss, triplet_hard_loss):
    keras.saving.register_keras_serializable(_PACKAGE)(_function)


class _FunctionLoss(keras.losses.Loss):  # type: ignore[misc]
    """A loss object of a function with settings."""

    function: ClassVar[Callable[..., Any]]

    def __init__(self, name: str | None, reduction: str, **settings: Any) -> None:
        super().__init__(name=name, reduction=reduction)
        self._settings = settings

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return type(self).function(y_true, y_pred, **self._settings)

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "reduction": self.reduction, **self._settings}


@exported("addons.losses.SigmoidFocalCrossEntropy")
@keras.saving.register_keras_serializable(_PACKAGE)
class SigmoidFocalCrossEntropy(_FunctionLoss):
    """The focal loss of every example, as `sigmoid_focal_crossentropy`."""

    function = staticmethod(sigmoid_focal_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        reduction: str = "none",
        name: str = "sigmoid_focal_crossentropy",
    ) -> None:
        super().__init__(name, reduction, from_logits=from_logits, alpha=alpha, gamma=gamma)


@exported("addons.losses.ContrastiveLoss")
@keras.saving.register_keras_serializable(_PACKAGE)
class ContrastiveLoss(_FunctionLoss):
    """The loss of distances between pairs, as `contrastive_loss`."""

    function = staticmethod(contrastive_loss)

    def __init__(
        self, margin: float = 1.0, reduction: str = "sum_over_batch_size", name: str = "contrastive_loss"
    ) -> None:
        super().__init__(name, reduction, margin=margin)


@exported("addons.losses.PinballLoss")
@keras.saving.register_keras_serializable(_PACKAGE)
class PinballLoss(_FunctionLoss):
    """The loss of a quantile, as `pinball_loss`."""

    function = staticmethod(pinball_loss)

    def __init__(self, tau: float = 0.5, reduction: str = "sum_over_batch_size", name: str = "pinball_loss") -> None:
        super().__init__(name, reduction, tau=tau)


@exported("addons.losses.TripletSemiHardLoss")
@keras.saving.register_keras_serializable(_PACKAGE)
class TripletSemiHardLoss(_FunctionLoss):
    """The triplet loss with semi-hard negatives, as `triplet_semihard_loss`: one number for a batch."""

    function = staticmethod(triplet_semihard_loss)

    def __init__(
        self, margin: float = 1.0, distance_metric: DistanceMetric = "L2", name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name, "none", margin=margin, distance_metric=distance_metric)


@exported("addons.losses.TripletHardLoss")
@keras.saving.register_keras_serializable(_PACKAGE)
class TripletHardLoss(_FunctionLoss):
    """The triplet loss with the hardest positives and negatives, as `triplet_hard_loss`: one number for a batch."""

    function = staticmethod(triplet_hard_loss)

    def __init__(
        self,
        margin: float = 1.0,
        soft: bool = False,
        distance_metric: DistanceMetric = "L2",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, "none", margin=margin, soft=soft, distance_metric=distance_metric)
