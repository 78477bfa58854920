"""tf1.metrics of a ranking of classes: how many of a row's labels are among its k most likely classes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops import Tensor, allow_x64, is_traced, tensor
from stratagem._ops.sparse import SparseTensor, to_dense
from stratagem._tf1.graph.losses._weighted import ratio
from stratagem._tf1.graph.metrics._metric import Measure, Sums, metric

_ABSENT = np.iinfo(np.int64).min  # where a row of a sparse tensor has no label


def _ids(values: Any) -> Tensor:
    """Returns class ids as int64, those of a sparse tensor filled up with `_ABSENT`."""
    if isinstance(values, SparseTensor):
        values = host_function(_filled)(values) if is_traced(values) else _filled(values)
    with allow_x64(np.int64):
        return jnp.asarray(tensor(values)).astype(np.int64)


def _filled(labels: SparseTensor) -> Tensor:
    return to_dense(labels, np.int64(_ABSENT))


def _labels(labels: Any, predicted: Tensor) -> Tensor:
    """Returns labels as (..., labels of a row); a vector has one for each row."""
    found = _ids(labels)
    return found[..., None] if found.ndim == predicted.ndim - 1 else found


def _distinct(ids: Tensor, class_id: int | None) -> Tensor:
    """Returns which ids count: the first of equal ones, and only those of one class, if it is given."""
    same = (ids[..., :, None] == ids[..., None, :]) & np.tri(ids.shape[-1], k=-1, dtype=bool)
    counts = ~same.any(-1) & (ids != _ABSENT)
    return counts if class_id is None else counts & (ids == class_id)


def _among(ids: Tensor, others: Tensor, counts: Tensor) -> Tensor:
    """Returns which ids are among the others that count."""
    return ((ids[..., :, None] == others[..., None, :]) & counts[..., None, :]).any(-1)


def _top(predictions: Any, k: int) -> Tensor:
    if k < 1:
        raise ValueError(f"Invalid k={k}: at least one class is predicted.")
    return _ids(jax.lax.top_k(tensor(predictions), k)[1])


def _share(labels: Any, predicted: Tensor, class_id: int | None, weights: Any, *, of_labels: bool) -> Measure:
    """Measures hits / labels, or hits / predictions, over all rows."""
    with allow_x64(np.int64):
        truth = _labels(labels, predicted)
        wanted, guessed = _distinct(truth, class_id), _distinct(predicted, class_id)
        hits = _rows(wanted & _among(truth, predicted, guessed), weights)
        if of_labels:
            others = _rows(wanted & ~_among(truth, predicted, guessed), weights)
        else:
            others = _rows(guessed & ~_among(predicted, truth, wanted), weights)
    other = "false_negative" if of_labels else "false_positive"

    def value(sums: Sums) -> Tensor:
        with allow_x64(np.float64):
            return sums["true_positive"] / (sums["true_positive"] + sums[other])

    return {"true_positive": hits, other: others}, value


def _rows(found: Tensor, weights: Any) -> Tensor:
    """Returns how many of all rows are true, times the rows' weights, float64 as in TensorFlow."""
    with allow_x64(np.float64):
        counts = found.sum(-1).astype(np.float64)
        return jnp.sum(counts * _row_weights(weights, counts))


def _row_weights(weights: Any, rows: Tensor) -> Tensor:
    """Returns the weights of the rows. Raises ValueError unless they are one number or have the rows' dimensions."""
    weight = tensor(1.0 if weights is None else weights).astype(np.float64)
    if weight.ndim and (
        weight.ndim != rows.ndim or any(w not in (1, r) for w, r in zip(weight.shape, rows.shape, strict=True))
    ):
        raise ValueError(
            f"weights can not be broadcast to values. values.shape={rows.shape}. weights.shape={weight.shape}"
        )
    return jnp.broadcast_to(weight, rows.shape)


@exported(v1=["metrics.recall_at_k"])
@metric("recall_at_k")
def recall_at_k(labels: Any, predictions: Any, k: int, class_id: int | None = None, weights: Any = None) -> Measure:
    """Measures the share of labels that are among the k most likely classes of their row.

    labels: (n, labels) or (n,), int64, dense or sparse. predictions: (n, classes). class_id: counts only this class.
    weights: of the rows.
    """
    return _share(labels, _top(predictions, k), class_id, weights, of_labels=True)


@exported(v1=["metrics.recall_at_top_k"])
@metric("recall_at_top_k")
def recall_at_top_k(
    labels: Any, predictions_idx: Any, k: int | None = None, class_id: int | None = None, weights: Any = None
) -> Measure:
    """Measures the share of labels that are among the predicted classes of their row, (n, k). k: for TensorFlow's names."""
    return _share(labels, _ids(predictions_idx), class_id, weights, of_labels=True)


@exported(v1=["metrics.precision_at_k", "metrics.sparse_precision_at_k"])
@metric("precision_at_k")
def precision_at_k(labels: Any, predictions: Any, k: int, class_id: int | None = None, weights: Any = None) -> Measure:
    """Measures the share of the k most likely classes of a row that are among its labels."""
    return _share(labels, _top(predictions, k), class_id, weights, of_labels=False)


@exported(v1=["metrics.precision_at_top_k"])
@metric("precision_at_top_k")
def precision_at_top_k(
    labels: Any, predictions_idx: Any, k: int | None = None, class_id: int | None = None, weights: Any = None
) -> Measure:
    """Measures the share of the predicted classes of a row, (n, k), that are among its labels. k: for TensorFlow's names."""
    return _share(labels, _ids(predictions_idx), class_id, weights, of_labels=False)


@exported(v1=["metrics.average_precision_at_k", "metrics.sparse_average_precision_at_k"])
@metric("average_precision_at_k")
def average_precision_at_k(labels: Any, predictions: Any, k: int, weights: Any = None) -> Measure:
    """Measures the mean of the rows' average precision: of the precision at each of the k ranks whose class is a label."""
    predicted, classes = _top(predictions, k), tensor(predictions).shape[-1]
    with allow_x64(np.int64):
        truth = _labels(labels, predicted)
        known = (truth >= 0) & (truth < classes)
    with allow_x64(np.float64):
        relevant = _among(predicted, truth, known).astype(np.float64)
        precision = jnp.cumsum(relevant, -1) / np.arange(1, predicted.shape[-1] + 1, dtype=np.float64)
        possible = jnp.minimum(known.sum(-1), predicted.shape[-1]).astype(np.float64)
        rows = jnp.sum(precision * relevant, -1) / possible
        weight = _row_weights(weights, rows)
        amounts = {"total": jnp.sum(rows * weight), "max": jnp.sum(weight)}

    def value(sums: Sums) -> Tensor:
        with allow_x64(np.float64):
            return ratio(sums["total"], sums["max"])

    return amounts, value


sparse_precision_at_k, sparse_average_precision_at_k = precision_at_k, average_precision_at_k
