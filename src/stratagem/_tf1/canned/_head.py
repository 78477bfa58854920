"""Head: the end of a model, which turns logits into losses and predictions; MeasuredHead: of one tensor of logits."""

import abc
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._legacy import compute_weighted_loss
from stratagem._ops import Tensor, tensor
from stratagem._tf1.canned._labels import checked_logits, checked_weight_column, example_weights
from stratagem._tf1.canned._measurements import Measurement, MeasurementKind, Observed, keras_metric, update
from stratagem._tf1.canned._training import head_train_op
from stratagem._tf1.estimator import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator.export import ExportOutput
from stratagem._tf1.graph import name_scope, summary

REDUCTIONS: Final = ("sum", "sum_over_batch_size")
REGULARIZATION: Final = "regularization_loss"


@exported("estimator.Head")
class Head(abc.ABC):
    """The end of a model: losses, predictions and metrics of logits and labels, and the EstimatorSpec with all of them."""

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """The name, which is a part of the names of metrics and summaries."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last dimension of logits."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """Says what the loss of a batch is: "sum", or "sum_over_batch_size", the mean."""

    @abc.abstractmethod
    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Mapping[str, Any] | None = None,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """Returns the loss of a batch, a scalar, with the regularization losses."""

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Hashable, Any]:
        """Returns the predictions by key. keys: which, by default all."""

    @abc.abstractmethod
    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns new metrics of Keras by name."""

    @abc.abstractmethod
    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Mapping[str, Any],
        logits: Any,
        labels: Any,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a batch to the metrics that `metrics` returned. Returns them."""

    def create_estimator_spec(
        self,
        features: Mapping[str, Any],
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Sequence[Any] | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec that a model_fn returns.

        optimizer: minimizes the loss, of tf.keras.optimizers; one of tf.compat.v1.train works, too. trainable_variables: that
        it changes. train_op_fn: instead of them, takes the loss and returns the operation of a step. update_ops: further
        operations of a step. regularization_losses: are added to the loss.

        Raises ValueError in TRAIN unless there is either an optimizer with its variables or a train_op_fn, and for labels,
        logits and weights that do not fit.
        """
        predictions = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=self.export_outputs(predictions))
        loss = self.loss(labels, logits, features, mode, regularization_losses)
        if mode == ModeKeys.EVAL:
            found = self.metrics(regularization_losses)
            given = {} if regularization_losses is None else {"regularization_losses": regularization_losses}
            return EstimatorSpec(
                mode,
                predictions,
                loss,
                eval_metric_ops=self.update_metrics(found, features, logits, labels, **given),  # type: ignore[arg-type]
            )
        operation = head_train_op(self.loss_reduction, loss, optimizer, trainable_variables, train_op_fn, update_ops)
        self.summarize(loss, regularization_losses)
        return EstimatorSpec(mode, predictions, loss, operation)

    @property
    def training_scope(self) -> str:
        """The name that those of an optimizer's variables begin with, as in TensorFlow."""
        return "training"

    def export_outputs(self, predictions: dict[Hashable, Any]) -> dict[str, ExportOutput]:
        """Returns what an exported model serves, by the name of its signature; nothing but for heads that say it."""
        return {}

    def summarize(self, loss: Any, regularization_losses: Sequence[Any] | None) -> None:
        """Records the loss for TensorBoard."""
        with name_scope(""):
            summary.scalar(self.key("loss"), loss)
            if regularization_losses is not None:
                summary.scalar(self.key(REGULARIZATION), total(regularization_losses))

    def key(self, name: str) -> str:
        """Returns the name of a metric or a summary, with the head's name."""
        return f"{name}/{self.name}" if self.name else name


def total(losses: Sequence[Any]) -> Tensor:
    """Returns the sum of losses. Raises ValueError for none."""
    if not losses:
        raise ValueError("regularization_losses must not be an empty list: leave them out.")
    return sum(map(tensor, losses[1:]), start=tensor(losses[0]))


class MeasuredHead(Head):
    """A head of one tensor of logits, (batch, ..., logits_dimension)."""

    def __init__(
        self,
        dimension: int,
        weight_column: Any,
        loss_reduction: str,
        loss_fn: UserFunction | None,
        name: str | None,
        *,
        per_logit: bool = False,
        loss_dimension: int = 1,
    ) -> None:
        """per_logit: weights may be of each logit. loss_dimension: the last dimension of what `loss_fn` returns."""
        if loss_fn is not None:
            _check_loss_fn(loss_fn)
        self._dimension, self._weight_column = dimension, checked_weight_column(weight_column)
        self._loss_reduction, self._loss_fn, self._name = loss_reduction, loss_fn, name
        self._per_logit, self._loss_dimension = per_logit, loss_dimension

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of logits."""
        return self._dimension

    @property
    def loss_reduction(self) -> str:
        """Says what the loss of a batch is: "sum", or "sum_over_batch_size", the mean."""
        return self._loss_reduction

    @abc.abstractmethod
    def processed(self, labels: Any, logits: Tensor) -> Tensor:
        """Returns labels as numbers, (batch, ..., 1) or as the logits. Raises ValueError for others."""

    @abc.abstractmethod
    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the losses of the rows, (batch, ..., 1) or as the logits. labels: processed."""

    @abc.abstractmethod
    def measurements(self) -> dict[str, Measurement]:
        """Returns the measurements besides the average loss, by the name of the metric without the head's."""

    @abc.abstractmethod
    def observed(self, labels: Tensor, logits: Tensor, weights: Any) -> dict[str, Observed]:
        """Returns the tensors for the measurements, by the same names. labels: processed."""

    def weighted(self, labels: Any, logits: Tensor, features: Any) -> tuple[Tensor, Any]:
        """Returns the losses of the rows, and their weights. labels: processed."""
        weights = example_weights(features, self._weight_column, logits, per_logit=self._per_logit)
        if self._loss_fn is None:
            return self.losses(labels, logits), weights
        takes = inspect.signature(self._loss_fn).parameters
        given = {"features": features} if "features" in takes else {}
        found = tensor(self._loss_fn(labels=labels, logits=logits, **given))
        wanted = (*logits.shape[:-1], self._loss_dimension)
        if tuple(found.shape) != wanted:
            raise ValueError(
                f"loss_fn must return Tensor of shape [D0, D1, ... DN, {self._loss_dimension}], here {wanted}. It returned one "
                f"of {tuple(found.shape)} for logits of {tuple(logits.shape)}."
            )
        return found, weights

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Mapping[str, Any] | None = None,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """Returns the loss of a batch, a scalar, with the regularization losses."""
        scores = checked_logits(logits, self.logits_dimension)
        losses, weights = self.weighted(self.processed(labels, scores), scores, features)
        loss = compute_weighted_loss(losses, weights, self.loss_reduction)
        return loss if regularization_losses is None else loss + total(regularization_losses)

    def all_measurements(self, *, regularized: bool) -> dict[str, Measurement]:
        """Returns the measurements by the names of metrics. regularized: with that of regularization losses."""
        found = {"average_loss": Measurement(MeasurementKind.MEAN, "average_loss"), **self.measurements()}
        if regularized:
            found[REGULARIZATION] = Measurement(MeasurementKind.MEAN, REGULARIZATION)
        return {self.key(name): measurement for name, measurement in found.items()}

    def all_observed(self, features: Any, logits: Any, labels: Any) -> dict[str, Observed]:
        """Returns the tensors for all measurements but that of regularization losses."""
        scores = checked_logits(logits, self.logits_dimension)
        truth = self.processed(labels, scores)
        losses, weights = self.weighted(truth, scores, features)
        found = {"average_loss": Observed(losses, weights=weights), **self.observed(truth, scores, weights)}
        return {self.key(name): each for name, each in found.items()}

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns new metrics of Keras by name."""
        found = self.all_measurements(regularized=regularization_losses is not None)
        return {name: keras_metric(measurement) for name, measurement in found.items()}

    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Mapping[str, Any],
        logits: Any,
        labels: Any,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a batch to the metrics that `metrics` returned. Returns them."""
        for name, observed in self.all_observed(features, logits, labels).items():
            update(eval_metrics[name], observed)
        if regularization_losses is not None:
            update(eval_metrics[self.key(REGULARIZATION)], Observed(total(regularization_losses)))
        return eval_metrics


def checked_reduction(loss_reduction: Any) -> str:
    """Returns the reduction; AUTO means the mean. Raises ValueError for none of `tf.losses.Reduction`, and for NONE."""
    if loss_reduction == "auto":
        return "sum_over_batch_size"
    if loss_reduction not in REDUCTIONS:
        raise ValueError(
            f"Invalid loss_reduction: {loss_reduction}. See `tf.losses.Reduction` for valid options: {', '.join(REDUCTIONS)}."
        )
    return str(loss_reduction)


def chosen(predictions: dict[str, Callable[[], Any]], keys: Sequence[str] | None) -> dict[Hashable, Any]:
    """Returns the predictions of these keys, by default all. Raises ValueError for keys that are not there."""
    unknown = [key for key in keys or () if key not in predictions]
    if unknown:
        raise ValueError(
            f"Prediction key must be in PredictionKeys, given: {unknown[0]}. Valid prediction keys include {list(predictions)}."
        )
    return {key: make() for key, make in predictions.items() if not keys or key in keys}


def checked_thresholds(thresholds: Sequence[float] | None) -> tuple[float, ...]:
    """Returns thresholds. Raises ValueError for one that is not between 0 and 1."""
    found = tuple(thresholds or ())
    for threshold in found:
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold}")
    return found


def threshold_measurements(thresholds: Sequence[float]) -> dict[str, Measurement]:
    """Returns accuracy, precision and recall at each threshold."""
    kinds = {
        "accuracy": MeasurementKind.BINARY_ACCURACY,
        "precision": MeasurementKind.PRECISION_AT,
        "recall": MeasurementKind.RECALL_AT,
    }
    named = {(what, f"{what}/positive_threshold_{t:g}"): t for t in thresholds for what in kinds}
    return {name: Measurement(kinds[what], name, t) for (what, name), t in named.items()}


def _check_loss_fn(loss_fn: UserFunction) -> None:
    names = set(inspect.signature(loss_fn).parameters)
    for wanted in ("labels", "logits"):
        if wanted not in names:
            raise ValueError(f"loss_fn must contain argument: {wanted}. Given arguments: {sorted(names)}.")
    if others := sorted(names - {"labels", "logits", "features", "loss_reduction"}):
        raise ValueError(f"loss_fn has unexpected args: {others}.")
