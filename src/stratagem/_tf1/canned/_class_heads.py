"""Heads of classes: BinaryClassHead, MultiClassHead, MultiLabelHead."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.step import host_function
from stratagem._core.values import CompositeTensor
from stratagem._ops import (
    Tensor,
    allow_x64,
    argmax,
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    tensor,
)
from stratagem._ops.sparse import SparseTensor, to_indicator
from stratagem._tf1.canned._head import (
    MeasuredHead,
    checked_reduction,
    checked_thresholds,
    chosen,
    threshold_measurements,
)
from stratagem._tf1.canned._labels import (
    are_strings,
    checked_logits,
    checked_vocabulary,
    class_ids,
    dense_labels,
    in_range,
)
from stratagem._tf1.canned._measurements import Measurement, MeasurementKind, Observed
from stratagem._tf1.estimator import class_names
from stratagem._tf1.estimator.export import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput

_MEAN = "sum_over_batch_size"


class _ClassHead(MeasuredHead):
    """A head whose predictions name classes."""

    _n_classes: int
    _vocabulary: Any

    @property
    def words(self) -> tuple[bytes, ...]:
        """The names of the classes: those of the vocabulary, else their numbers."""
        if self._vocabulary is not None:
            encoded: tuple[bytes, ...] = self._vocabulary.encoded
            return encoded
        return tuple(str(number).encode() for number in range(self._n_classes))

    def _all_ids(self, scores: Tensor) -> Tensor:
        # Computed of the scores, so that a program that is exported makes as many rows as it is given.
        none = jnp.isnan(scores[..., :1]).astype(np.int32) * 0
        return jnp.broadcast_to(
            jnp.arange(self._n_classes, dtype=np.int32) + none.reshape((scores.shape[0], -1))[:, :1],
            (scores.shape[0], self._n_classes),
        )

    def _all_classes(self, scores: Tensor) -> Any:
        return class_names(self._all_ids(scores), self.words)

    def _of_classes(self, scores: Tensor) -> dict[str, Callable[[], Any]]:
        """Returns the predictions of the most likely classes, from logits of all."""
        ids = _argmax(scores)
        return {
            "class_ids": lambda: ids,
            "classes": lambda: class_names(ids, self.words),
            "all_class_ids": lambda: self._all_ids(scores),
            "all_classes": lambda: self._all_classes(scores),
        }

    def export_outputs(self, predictions: dict[Hashable, Any]) -> dict[str, ExportOutput]:
        """Returns classes with their probabilities, under three names, and all predictions."""
        scores = predictions["probabilities"]
        classes = ClassificationOutput(scores, self._all_classes(scores))
        return {"serving_default": classes, "classification": classes, "predict": PredictOutput(predictions)}


def _argmax(scores: Tensor) -> Tensor:
    with allow_x64(np.int64):
        return argmax(scores, -1)[..., None]


@exported("estimator.BinaryClassHead")
@final
class BinaryClassHead(_ClassHead):
    """`tf.estimator.BinaryClassHead`: two classes, whose logits are (batch, ..., 1).

    weight_column: the key of weights of examples, or a numeric column. thresholds: of probabilities, for further metrics.
    label_vocabulary: the two strings that labels may be; without it they are numbers from 0 to 1. loss_fn: takes `labels`,
    `logits` and perhaps `features`, and returns the losses, (batch, ..., 1). name: a part of the names of metrics.

    Raises ValueError for thresholds that are not between 0 and 1, another reduction, and a loss_fn of other arguments.
    """

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = _MEAN,
        loss_fn: UserFunction | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(1, weight_column, checked_reduction(loss_reduction), loss_fn, name)
        self._n_classes, self._vocabulary = 2, checked_vocabulary(label_vocabulary)
        self._thresholds = checked_thresholds(thresholds)

    def processed(self, labels: Any, logits: Tensor) -> Tensor:
        """Returns labels as float32, (batch, ..., 1). Raises ValueError for strings without a vocabulary."""
        found = class_ids(dense_labels(labels, logits, 1), self._vocabulary, 2)
        return found.astype(np.float32)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the cross entropy."""
        return sigmoid_cross_entropy_with_logits(labels, logits)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Hashable, Any]:
        """Returns logits, logistic, probabilities, class_ids, classes, all_class_ids and all_classes. keys: which of them."""
        scores = checked_logits(logits, 1)
        both = jnp.concatenate([jnp.zeros_like(scores), scores], -1)
        made: dict[str, Callable[[], Any]] = {
            "logits": lambda: scores,
            "logistic": lambda: jax.nn.sigmoid(scores),
            "probabilities": lambda: jax.nn.softmax(both),
            **self._of_classes(both),
        }
        return chosen(made, keys)

    def export_outputs(self, predictions: dict[Hashable, Any]) -> dict[str, ExportOutput]:
        """Returns what every head of classes serves, and the probability of the second class as a regression."""
        return {**super().export_outputs(predictions), "regression": RegressionOutput(predictions["logistic"])}

    def measurements(self) -> dict[str, Measurement]:
        """Returns the measurements of two classes."""
        kinds = {
            "accuracy": MeasurementKind.ACCURACY,
            "precision": MeasurementKind.PRECISION,
            "recall": MeasurementKind.RECALL,
            "prediction/mean": MeasurementKind.MEAN,
            "label/mean": MeasurementKind.MEAN,
            "accuracy_baseline": MeasurementKind.BASELINE,
            "auc": MeasurementKind.AUC,
            "auc_precision_recall": MeasurementKind.AUC_PR,
        }
        found = {name: Measurement(kind, name) for name, kind in kinds.items()}
        return found | threshold_measurements(self._thresholds)

    def observed(self, labels: Tensor, logits: Tensor, weights: Any) -> dict[str, Observed]:
        """Returns labels, probabilities and the more likely class."""
        likely = jax.nn.sigmoid(logits)
        guessed = Observed((logits > 0).astype(np.float32), labels, weights)
        scored = Observed(likely, labels, weights)
        found = dict.fromkeys(("accuracy", "precision", "recall"), guessed)
        found |= dict.fromkeys(("auc", "auc_precision_recall", *threshold_measurements(self._thresholds)), scored)
        found |= dict.fromkeys(("label/mean", "accuracy_baseline"), Observed(labels, weights=weights))
        return found | {"prediction/mean": Observed(likely, weights=weights)}


@exported("estimator.MultiClassHead")
@final
class MultiClassHead(_ClassHead):
    """`tf.estimator.MultiClassHead`: more than two classes, whose logits are (batch, ..., n_classes).

    The arguments are those of BinaryClassHead; without a vocabulary, labels are integers from 0 to n_classes - 1.

    Raises ValueError for two classes or fewer, and as BinaryClassHead.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = _MEAN,
        loss_fn: UserFunction | None = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}. For two classes there is BinaryClassHead.")
        super().__init__(n_classes, weight_column, checked_reduction(loss_reduction), loss_fn, name)
        self._n_classes, self._vocabulary = n_classes, checked_vocabulary(label_vocabulary, n_classes)

    def processed(self, labels: Any, logits: Tensor) -> Tensor:
        """Returns the ids of the classes, (batch, ..., 1). Raises ValueError for what are no integers."""
        found = dense_labels(labels, logits, 1)
        if self._vocabulary is None and not are_strings(found) and not jnp.issubdtype(found.dtype, np.integer):
            raise ValueError(f"Labels dtype should be integer. Instead got {found.dtype}.")
        return class_ids(found, self._vocabulary, self._n_classes)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the cross entropy, (batch, ..., 1)."""
        return sparse_softmax_cross_entropy_with_logits(labels[..., 0], logits)[..., None]

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Hashable, Any]:
        """Returns logits, probabilities, class_ids, classes, all_class_ids and all_classes. keys: which of them."""
        scores = checked_logits(logits, self._n_classes)
        made: dict[str, Callable[[], Any]] = {
            "logits": lambda: scores,
            "probabilities": lambda: jax.nn.softmax(scores),
            **self._of_classes(scores),
        }
        return chosen(made, keys)

    def measurements(self) -> dict[str, Measurement]:
        """Returns the accuracy."""
        return {"accuracy": Measurement(MeasurementKind.ACCURACY, "accuracy")}

    def observed(self, labels: Tensor, logits: Tensor, weights: Any) -> dict[str, Observed]:
        """Returns labels and the most likely class."""
        return {"accuracy": Observed(_argmax(logits), labels, weights)}


@exported("estimator.MultiLabelHead")
@final
class MultiLabelHead(_ClassHead):
    """`tf.estimator.MultiLabelHead`: classes of which a row may have several, whose logits are (batch, n_classes).

    Labels are 0 or 1 for each class, (batch, n_classes), or a SparseTensor of the numbers or, with a vocabulary, the names of
    classes. classes_for_class_based_metrics: classes, by number or name, that have metrics of their own. The other arguments
    are those of BinaryClassHead.

    Raises ValueError for fewer than two classes, for a class that is not there, and as BinaryClassHead.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = _MEAN,
        loss_fn: UserFunction | None = None,
        classes_for_class_based_metrics: Sequence[int | str] | None = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-label classification. Given: {n_classes}")
        super().__init__(n_classes, weight_column, checked_reduction(loss_reduction), loss_fn, name)
        self._n_classes, self._vocabulary = n_classes, checked_vocabulary(label_vocabulary, n_classes)
        self._thresholds = checked_thresholds(thresholds)
        self._watched = [self._number(each) for each in classes_for_class_based_metrics or ()]

    def _number(self, watched: int | str) -> int:
        if isinstance(watched, str):
            if self._vocabulary is None:
                raise ValueError("label_vocabulary must be provided when classes_for_class_based_metrics are strings.")
            if watched not in self._vocabulary.words:
                raise ValueError(f"{watched!r} is not in the label_vocabulary {list(self._vocabulary.words)}.")
            return int(self._vocabulary.words.index(watched))
        if not 0 <= watched < self._n_classes:
            raise ValueError(
                f"All classes_for_class_based_metrics must be in range [0, {self._n_classes - 1}]. Given: {watched}"
            )
        return watched

    def processed(self, labels: Any, logits: Tensor) -> Tensor:
        """Returns 0 or 1 for each class, (batch, n_classes). Raises ValueError for sparse labels that are no integers."""
        if isinstance(labels, CompositeTensor):
            labels = host_function(self._indicated)(labels)
        elif labels is not None:
            text = "labels must be an integer indicator Tensor with values in [0, 1]"
            labels = in_range(tensor(labels), 2, text)
        return dense_labels(labels, logits, self._n_classes)

    def _indicated(self, labels: Any) -> Tensor:
        if are_strings(labels):
            if self._vocabulary is None:
                raise ValueError("Labels are strings: give the head a label_vocabulary.")
            ids = self._vocabulary.ids(labels.values)
            message = f"Labels must be in the label_vocabulary {list(self._vocabulary.words)}."
        else:
            ids, message = (
                labels.values,
                f"labels must be an integer SparseTensor with values in [0, {self._n_classes})",
            )
            if not jnp.issubdtype(labels.dtype, np.integer):
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        found = SparseTensor(labels.indices, in_range(ids, self._n_classes, message), labels.dense_shape)
        with allow_x64(np.int64):
            return tensor(to_indicator(found, self._n_classes)).astype(np.int64)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the mean over classes of the cross entropy, (batch, 1)."""
        found = sigmoid_cross_entropy_with_logits(labels.astype(logits.dtype), logits)
        return jnp.mean(found, axis=-1, keepdims=True)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Hashable, Any]:
        """Returns logits, probabilities and the names of all classes. keys: which of them."""
        scores = checked_logits(logits, self._n_classes)
        made: dict[str, Callable[[], Any]] = {
            "logits": lambda: scores,
            "probabilities": lambda: jax.nn.sigmoid(scores),
            "classes": lambda: self._all_classes(scores),
        }
        return chosen(made, keys)

    def _class_key(self, what: str, number: int) -> str:
        names = None if self._vocabulary is None else self._vocabulary.words
        return f"{what}/class{number}" if names is None else f"{what}/{names[number]}"

    def measurements(self) -> dict[str, Measurement]:
        """Returns the measurements of all classes, and those of the chosen ones."""
        kinds = {"auc": MeasurementKind.AUC, "auc_precision_recall": MeasurementKind.AUC_PR}
        found = {name: Measurement(kind, name) for name, kind in kinds.items()}
        found |= threshold_measurements(self._thresholds)
        for number in self._watched:
            for what, kind in {"probability_mean": MeasurementKind.MEAN, **kinds}.items():
                name = self._class_key(what, number)
                found[name] = Measurement(kind, name)
        return found

    def observed(self, labels: Tensor, logits: Tensor, weights: Any) -> dict[str, Observed]:
        """Returns labels and probabilities of all classes, and of each of the chosen ones."""
        likely = jax.nn.sigmoid(logits)
        scored = Observed(likely, labels, weights)
        found = dict.fromkeys(("auc", "auc_precision_recall", *threshold_measurements(self._thresholds)), scored)
        for number in self._watched:
            own = likely[:, number : number + 1]
            found[self._class_key("probability_mean", number)] = Observed(own, weights=weights)
            for what in ("auc", "auc_precision_recall"):
                found[self._class_key(what, number)] = Observed(own, labels[:, number : number + 1], weights)
        return found
