"""The measurements of an evaluation: metrics of Keras for TensorFlow 2's heads, of tf1.metrics for TensorFlow 1's."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._ops import Tensor, tensor
from stratagem._tf1.graph import metrics


@final
class MeasurementKind(enum.Enum):
    """The ways to measure."""

    MEAN = enum.auto()
    ACCURACY = enum.auto()
    PRECISION = enum.auto()
    RECALL = enum.auto()
    BASELINE = enum.auto()  # the accuracy of always predicting the more frequent label
    AUC = enum.auto()
    AUC_PR = enum.auto()
    BINARY_ACCURACY = enum.auto()
    PRECISION_AT = enum.auto()
    RECALL_AT = enum.auto()


@final
@dataclass(frozen=True)
class Measurement:
    """One measurement. name: of the metric of Keras. threshold: above which a probability counts as the label 1."""

    kind: MeasurementKind
    name: str
    threshold: float | None = None


@final
@dataclass(frozen=True)
class Observed:
    """The tensors that a batch gives one measurement. values: predictions, or what the mean is taken of."""

    values: Any
    labels: Any = None
    weights: Any = None


@final
class BaselineAccuracy(keras.metrics.Mean):  # type: ignore[misc]
    """The accuracy of always predicting the label that is more frequent, for labels of 0 and 1."""

    def result(self) -> Any:
        """Returns the greater share."""
        share = super().result()
        return keras.ops.maximum(share, 1.0 - share)


def keras_metric(measurement: Measurement) -> keras.metrics.Metric:
    """Returns a new metric of Keras."""
    name, threshold = measurement.name, measurement.threshold
    make: dict[MeasurementKind, Callable[[], keras.metrics.Metric]] = {
        MeasurementKind.MEAN: lambda: keras.metrics.Mean(name=name),
        MeasurementKind.ACCURACY: lambda: keras.metrics.Accuracy(name=name),
        MeasurementKind.PRECISION: lambda: keras.metrics.Precision(name=name),
        MeasurementKind.RECALL: lambda: keras.metrics.Recall(name=name),
        MeasurementKind.BASELINE: lambda: BaselineAccuracy(name=name),
        MeasurementKind.AUC: lambda: keras.metrics.AUC(name=name),
        MeasurementKind.AUC_PR: lambda: keras.metrics.AUC(curve="PR", name=name),
        MeasurementKind.BINARY_ACCURACY: lambda: keras.metrics.BinaryAccuracy(name=name, threshold=threshold),
        MeasurementKind.PRECISION_AT: lambda: keras.metrics.Precision(name=name, thresholds=threshold),
        MeasurementKind.RECALL_AT: lambda: keras.metrics.Recall(name=name, thresholds=threshold),
    }
    return make[measurement.kind]()


def update(metric: keras.metrics.Metric, observed: Observed) -> None:
    """Adds a batch to a metric of Keras. Weights are broadcast to the values."""
    values, weights = tensor(observed.values), _broadcast(observed)
    if observed.labels is None:
        metric.update_state(values.astype(np.float32), sample_weight=weights)
    else:
        metric.update_state(observed.labels, values, sample_weight=weights)


def graph_metric(measurement: Measurement, observed: Observed) -> Any:
    """Returns a metric of tf1.metrics: its value and the operation that adds this batch. Raises ValueError for thresholds."""
    values, labels, weights, kind = observed.values, observed.labels, _broadcast(observed), measurement.kind
    if kind is MeasurementKind.MEAN:
        return metrics.mean(values, weights)
    if kind is MeasurementKind.BASELINE:
        share, operation = metrics.mean(values, weights)
        return share.map(lambda mean: jnp.maximum(mean, 1.0 - mean)), operation
    if kind is MeasurementKind.AUC:
        return metrics.auc(labels, values, weights)
    if kind is MeasurementKind.AUC_PR:
        return metrics.auc(labels, values, weights, curve="PR")
    by_class = {
        MeasurementKind.ACCURACY: metrics.accuracy,
        MeasurementKind.PRECISION: metrics.precision,
        MeasurementKind.RECALL: metrics.recall,
    }
    if kind not in by_class:
        raise ValueError(f"{measurement.name}: TensorFlow 1's canned Estimators take no thresholds.")
    return by_class[kind](labels, values, weights)


def _broadcast(observed: Observed) -> Tensor | None:
    weights = observed.weights
    if weights is None or isinstance(weights, float):
        return None
    return jnp.broadcast_to(weights, np.broadcast_shapes(tuple(weights.shape), tuple(tensor(observed.values).shape)))
