"""tf1.metrics: counts of true and false predictions of binary labels, and metrics computed from them."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import Tensor, tensor
from stratagem._tf1.graph.losses._weighted import check_weights, ratio
from stratagem._tf1.graph.metrics._metric import Measure, Metric, Sums, alike, keep, metric

_EDGE = 1e-7  # how far the outermost thresholds of AUC lie outside of [0, 1]
_EPSILON = 1e-6

# The label and the prediction of the examples that each kind counts.
_KINDS = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}


def _counts(labels: Any, predictions: Any, weights: Any, kinds: Sequence[str]) -> dict[str, Tensor]:
    """Returns the total weight of each kind in this batch: scalars."""
    guess, truth, weight = alike(tensor(predictions).astype(bool), tensor(labels).astype(bool), weights)
    weight = check_weights(1.0 if weight is None else weight, guess.shape)
    found = {}
    for kind in kinds:
        label, prediction = _KINDS[kind]
        found[kind] = jnp.sum(((truth == label) & (guess == prediction)).astype(np.float32) * weight)
    return found


def _counted(kind: str, labels: Any, predictions: Any, weights: Any) -> Measure:
    amounts = {"count": _counts(labels, predictions, weights, [kind])[kind]}
    return amounts, lambda sums: sums["count"]


@exported(v1=["metrics.true_positives"])
@metric("true_positives")
def true_positives(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Counts positive examples that were predicted positive."""
    return _counted("true_positives", labels, predictions, weights)


@exported(v1=["metrics.false_positives"])
@metric("false_positives")
def false_positives(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Counts negative examples that were predicted positive."""
    return _counted("false_positives", labels, predictions, weights)


@exported(v1=["metrics.true_negatives"])
@metric("true_negatives")
def true_negatives(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Counts negative examples that were predicted negative."""
    return _counted("true_negatives", labels, predictions, weights)


@exported(v1=["metrics.false_negatives"])
@metric("false_negatives")
def false_negatives(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Counts positive examples that were predicted negative."""
    return _counted("false_negatives", labels, predictions, weights)


def _share(other: str, labels: Any, predictions: Any, weights: Any) -> Measure:
    """Measures true positives / (true positives + `other`)."""
    counts = _counts(labels, predictions, weights, ["true_positives", other])
    amounts = {f"{kind}/count": amount for kind, amount in counts.items()}
    hits, others = "true_positives/count", f"{other}/count"
    return amounts, lambda sums: ratio(sums[hits], jnp.maximum(sums[hits] + sums[others], 0))


@exported(v1=["metrics.precision"])
@metric("precision")
def precision(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Measures the share of positive examples among those predicted positive."""
    return _share("false_positives", labels, predictions, weights)


@exported(v1=["metrics.recall"])
@metric("recall")
def recall(labels: Any, predictions: Any, weights: Any = None) -> Measure:
    """Measures the share of positive examples that were predicted positive."""
    return _share("false_negatives", labels, predictions, weights)


# --- At thresholds ----------------------------------------------------------------------------------------------------


def _counts_at(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, kinds: Sequence[str]
) -> dict[str, Tensor]:
    """Returns the total weight of each kind at every threshold: (thresholds,)."""
    guess, truth, weight = alike(tensor(predictions).astype(np.float32), tensor(labels).astype(bool), weights)
    weight = jnp.broadcast_to(check_weights(1.0 if weight is None else weight, guess.shape), guess.shape).reshape(1, -1)
    above = guess.reshape(1, -1) > jnp.asarray(thresholds, np.float32)[:, None]
    yes = truth.reshape(1, -1)
    return {
        kind: jnp.sum(((yes == _KINDS[kind][0]) & (above == _KINDS[kind][1])).astype(np.float32) * weight, 1)
        for kind in kinds
    }


def _share_at(other: str, labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any) -> Measure:
    """Measures true positives / (true positives + `other`) at every threshold."""
    amounts = _counts_at(labels, predictions, thresholds, weights, ["true_positives", other])
    return amounts, lambda sums: sums["true_positives"] / (_EDGE + sums["true_positives"] + sums[other])


@exported(v1=["metrics.precision_at_thresholds"])
@metric("precision_at_thresholds")
def precision_at_thresholds(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None) -> Measure:
    """Measures the share of positive examples among those predicted above each threshold: (thresholds,)."""
    return _share_at("false_positives", labels, predictions, thresholds, weights)


@exported(v1=["metrics.recall_at_thresholds"])
@metric("recall_at_thresholds")
def recall_at_thresholds(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None) -> Measure:
    """Measures the share of positive examples that were predicted above each threshold: (thresholds,)."""
    return _share_at("false_negatives", labels, predictions, thresholds, weights)


def _counted_at(kind: str, labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any) -> Measure:
    counts = _counts_at(labels, predictions, thresholds, weights, [kind])
    return counts, lambda sums: sums[kind]


@exported(v1=["metrics.true_positives_at_thresholds"])
@metric("true_positives")
def true_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> Measure:
    """Counts positive examples that were predicted above each threshold: (thresholds,)."""
    return _counted_at("true_positives", labels, predictions, thresholds, weights)


@exported(v1=["metrics.false_positives_at_thresholds"])
@metric("false_positives")
def false_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> Measure:
    """Counts negative examples that were predicted above each threshold: (thresholds,)."""
    return _counted_at("false_positives", labels, predictions, thresholds, weights)


@exported(v1=["metrics.true_negatives_at_thresholds"])
@metric("true_negatives")
def true_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> Measure:
    """Counts negative examples that were not predicted above each threshold: (thresholds,)."""
    return _counted_at("true_negatives", labels, predictions, thresholds, weights)


@exported(v1=["metrics.false_negatives_at_thresholds"])
@metric("false_negatives")
def false_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> Measure:
    """Counts positive examples that were not predicted above each threshold: (thresholds,)."""
    return _counted_at("false_negatives", labels, predictions, thresholds, weights)


def _edges(num_thresholds: int, last: float) -> list[float]:
    return [-_EDGE, *(i / (num_thresholds - 1) for i in range(1, num_thresholds - 1)), last]


@exported(v1=["metrics.sensitivity_at_specificity"])
@metric("sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200
) -> Measure:
    """Measures the recall at the threshold whose share of true negatives among negatives is nearest to `specificity`.

    Raises ValueError unless it is from 0 to 1.
    """
    if not 0 <= specificity <= 1:
        raise ValueError(f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.")

    def value(sums: Sums) -> Tensor:
        hits, misses = sums["true_positives"], sums["false_negatives"]
        rejected, alarms = sums["true_negatives"], sums["false_positives"]
        at = jnp.argmin(jnp.abs(rejected / (rejected + alarms + _EDGE) - specificity))
        return hits[at] / (hits[at] + misses[at] + _EDGE)

    return _counts_at(labels, predictions, _edges(num_thresholds, 1 + _EDGE), weights, list(_KINDS)), value


@exported(v1=["metrics.specificity_at_sensitivity"])
@metric("specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200
) -> Measure:
    """Measures the share of true negatives among negatives at the highest threshold whose recall is nearest to `sensitivity`.

    Raises ValueError unless it is from 0 to 1.
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.")

    def value(sums: Sums) -> Tensor:
        hits, misses = sums["true_positives"], sums["false_negatives"]
        rejected, alarms = sums["true_negatives"], sums["false_positives"]
        distance = jnp.abs(hits / (hits + misses + _EDGE) - sensitivity)
        at = distance.size - 1 - jnp.argmin(distance[::-1])
        return rejected[at] / (rejected[at] + alarms[at] + _EDGE)

    return _counts_at(labels, predictions, _edges(num_thresholds, 1 - _EDGE), weights, list(_KINDS)), value


@exported(v1=["metrics.auc"])
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """Measures the area under the ROC or the PR curve of predictions in [0, 1], from points at evenly spaced thresholds.

    summation_method: "trapezoidal", "minoring", "majoring", or "careful_interpolation", the best for PR.
    thresholds: the inner thresholds, instead of num_thresholds - 2 evenly spaced ones.

    Raises ValueError for another curve or method.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    even = [i / (num_thresholds - 1) for i in range(1, num_thresholds - 1)]
    edges = [-_EDGE, *(even if thresholds is None else sorted(thresholds)), 1 + _EDGE]
    amounts = _counts_at(labels, predictions, edges, weights, list(_KINDS))
    measure = amounts, lambda sums: _area(sums, curve, summation_method)
    return keep(measure, "auc", metrics_collections, updates_collections, name)


def _area(sums: Sums, curve: str, method: str) -> Tensor:
    hits, alarms, misses = sums["true_positives"], sums["false_positives"], sums["false_negatives"]
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated(hits, alarms, misses)
    found = (hits + _EPSILON) / (hits + misses + _EPSILON)
    if curve == "ROC":
        x, y = alarms / (alarms + sums["true_negatives"] + _EPSILON), found
    else:
        x, y = found, (hits + _EPSILON) / (hits + alarms + _EPSILON)
    heights = {"minoring": jnp.minimum(y[:-1], y[1:]), "majoring": jnp.maximum(y[:-1], y[1:])}
    return jnp.sum((x[:-1] - x[1:]) * heights.get(method, (y[:-1] + y[1:]) / 2.0))


def _interpolated(hits: Tensor, alarms: Tensor, misses: Tensor) -> Tensor:
    """Returns the area under the PR curve when true and false positives grow evenly between thresholds.

    Source: Davis and Goadrich, 2006.
    """
    more, all_yes = hits[:-1] - hits[1:], hits + alarms
    slope = ratio(more, jnp.maximum(all_yes[:-1] - all_yes[1:], 0))
    start = hits[1:] - slope * all_yes[1:]
    both = (all_yes[:-1] > 0) & (all_yes[1:] > 0)
    growth = jnp.where(both, ratio(all_yes[:-1], jnp.maximum(all_yes[1:], 0)), 1.0)
    return jnp.sum(ratio(slope * (more + start * jnp.log(growth)), jnp.maximum(hits[1:] + misses[1:], 0)))
