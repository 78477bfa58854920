"""Metrics of tf1.metrics: shapes that nearly fit, shapes that do not, and labels that are no class."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._tf1.graph import ModelState


def found(metric: str, *args: Any, **kwargs: Any) -> float:
    """The metric's value after one update."""
    with ModelState().building("eval"):
        value, update = getattr(tf1.metrics, metric)(*args, **kwargs)
        update.run()
        return float(value.read())


@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_a_normalizer_loses_a_last_dimension_of_one(shape: tuple[int, ...]) -> None:
    labels, predictions, normalizer = tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 4.0, 6.0]), [1.0, 4.0, 6.0]
    value = found("mean_relative_error", labels, predictions, np.reshape(np.float32(normalizer), shape))
    assert value == pytest.approx(2 / 3)


def test_a_normalizer_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="labels and normalizer need the same"):
        found("mean_relative_error", tf.ones([3]), tf.ones([3]), tf.ones([2, 3]))


@pytest.mark.parametrize("metric", ["accuracy", "mean_squared_error", "precision", "true_positives"])
@pytest.mark.parametrize("shape", [(3, 2), (1, 3), (2,)])
def test_weights_that_do_not_fit_are_refused(metric: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        found(metric, tf.ones([3]), tf.ones([3]), tf.ones(shape))


def test_weights_of_thresholds_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="weights can not be broadcast"):
        found("auc", tf.ones([3]), tf.ones([3]), tf.ones([2]))


def test_weights_have_a_last_dimension_of_one_more_or_less() -> None:
    assert found("accuracy", tf.constant([1, 2]), tf.constant([1, 1]), tf.constant([[3.0], [1.0]])) == 0.75
    assert found("accuracy", tf.constant([[1], [2]]), tf.constant([[1], [1]]), tf.constant([3.0, 1.0])) == 0.75


@pytest.mark.sampled
@pytest.mark.parametrize("metric", ["mean_iou", "mean_per_class_accuracy"])
@pytest.mark.parametrize("strange", [-1, 2])
def test_labels_that_are_no_class_count_nowhere(metric: str, strange: int) -> None:
    labels, predictions = tf.constant([0, 1, strange, strange]), tf.constant([0, 1, 0, 1])
    assert found(metric, labels, predictions, 2) == 1.0
