"""Metrics under a strategy: every replica adds to its own state, and reading aggregates."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras.facade import mirrored

VALUES = np.arange(1.0, 7.0, dtype=np.float32)


def batches(strategy: Any, size: int) -> Any:
    return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(VALUES).batch(size))


# Measured on TensorFlow 2.15.1 with values 1, 2, … and weights 0.5, 1, …: shapes of both, what Mean adds up and counts.
WEIGHED = [
    ((3,), (), [3.0, 1.5]),
    ((2, 3), (), [10.5, 3.0]),
    ((2, 3), (2,), [18.0, 4.5]),
    ((2, 3), (2, 1), [18.0, 4.5]),
    ((2, 3), (2, 3), [45.5, 10.5]),
    ((2,), (2, 1), [2.5, 1.5]),
    ((2, 1), (2,), [2.5, 1.5]),
    ((), (), [0.5, 0.5]),
    ((), (1,), [0.5, 0.5]),
    ((2, 3), (1, 3), [23.0, 6.0]),
    ((2, 3), None, [21.0, 6.0]),
]


@pytest.mark.parametrize(("shape", "weights", "variables"), WEIGHED)
def test_a_mean_counts_every_value_as_in_tensorflow(shape: Any, weights: Any, variables: list[float]) -> None:
    values = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    mean, total = tf.keras.metrics.Mean(), tf.keras.metrics.Sum()
    given = None if weights is None else np.arange(1, 1 + np.prod(weights)).reshape(weights) / 2
    mean.update_state(np.float32(values), sample_weight=given)
    total.update_state(np.float32(values), sample_weight=given)
    assert [float(v) for v in mean.variables] == variables
    assert float(total.result()) == variables[0]


# Measured on TensorFlow 2.15.1 with the classes, guesses and weights of the test.
OVERLAPS = [
    ("MeanIoU", {"num_classes": 3}, 0.575),
    ("IoU", {"num_classes": 3, "target_class_ids": [0, 2]}, 0.5625),
    ("BinaryIoU", {"target_class_ids": [0, 1], "threshold": 0.4}, 0.29870130),
    ("OneHotIoU", {"num_classes": 3, "target_class_ids": [0, 2]}, 0.5625),
    ("OneHotMeanIoU", {"num_classes": 3}, 0.575),
]


@pytest.mark.parametrize(("name", "options", "expected"), OVERLAPS)
def test_overlaps_of_classes_are_weighed_as_in_tensorflow(name: str, options: dict[str, Any], expected: float) -> None:
    metric = getattr(tf.keras.metrics, name)(**options)
    metric.update_state(*_overlapping(name), sample_weight=[0.5, 0.25, 2.5, 0.75, 1.5, 0.5])
    assert float(metric.result()) == pytest.approx(expected, rel=1e-6)
    copy = type(metric).from_config(metric.get_config())
    assert copy.dtype == metric.dtype == "float32"


def _overlapping(name: str) -> list[Any]:
    true, guessed = np.array([0, 1, 2, 2, 1, 0]), np.array([0, 2, 2, 1, 1, 2])
    if name == "BinaryIoU":
        return [np.float32(true > 0), np.float32([0.1, 0.9, 0.3, 0.5, 0.8, 0.6])]
    return [np.eye(3)[true], np.eye(3)[guessed] * 0.5] if name.startswith("OneHot") else [true, guessed]


@pytest.mark.parametrize("replicas", [1, 2, 4])
@pytest.mark.parametrize("size", [6, 4])  # 4: the last batch is uneven
def test_a_mean_is_that_of_all_rows(replicas: int, size: int) -> None:
    strategy = mirrored(replicas)
    with strategy.scope():
        metric = tf.keras.metrics.Mean()
    for _ in range(2):
        for batch in batches(strategy, size):
            strategy.run(metric.update_state, args=(batch,))
        assert float(metric.result()) == 3.5
        metric.reset_states()
        assert float(metric.result()) == 0.0


def test_the_result_inside_of_a_replica_is_that_of_all_replicas() -> None:
    strategy = mirrored()
    with strategy.scope():
        metric = tf.keras.metrics.Mean()

    def step(x: Any) -> Any:
        metric.update_state(x)
        return metric.result()

    (batch,) = batches(strategy, 6)
    result = strategy.run(step, args=(batch,))
    assert [float(v) for v in result.values] == [3.5, 3.5]
    assert float(metric.result()) == 3.5


def test_the_worked_example_of_the_guide() -> None:
    """Losses [2, 3] and [4, 5] with global batch 4 are 1.25 and 2.25: their metric says 1.75, their sum 3.5."""
    strategy = mirrored()
    with strategy.scope():
        metric = tf.keras.metrics.Mean()
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices([2.0, 3.0, 4.0, 5.0]).batch(4))

    def step(losses: Any) -> Any:
        loss = tf.nn.compute_average_loss(losses, global_batch_size=4)
        metric.update_state(loss)
        return loss

    losses = strategy.run(step, args=(next(iter(data)),))
    assert [float(v) for v in losses.values] == [1.25, 2.25]
    assert float(strategy.reduce("SUM", losses, axis=None)) == 3.5
    assert float(metric.result()) == 1.75
    assert [float(v.numpy()) for v in metric.variables] == [3.5, 2.0]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name",
    [
        *("SparseCategoricalAccuracy", "RootMeanSquaredError", "MeanIoU", "F1Score"),
        pytest.param("AUC", marks=pytest.mark.thorough),  # a program of two hundred thresholds
    ],
)
def test_other_metrics_agree_with_one_device(name: str) -> None:
    generator = np.random.default_rng(0)
    labels, scores = generator.integers(0, 2, 8), generator.random((8, 2)).astype(np.float32)

    def arguments(make: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        if name == "SparseCategoricalAccuracy":
            return make(), labels, scores
        if name == "MeanIoU":
            return make(num_classes=2), labels, (scores[:, 0] > 0.5).astype(np.int64)
        if name == "F1Score":
            return make(), np.eye(2, dtype=np.float32)[labels], scores
        return make(), labels.astype(np.float32), scores[:, 0]

    plain, y_true, y_pred = arguments(getattr(tf.keras.metrics, name))
    plain.update_state(y_true, y_pred)
    strategy = mirrored()
    with strategy.scope():
        metric, *_ = arguments(getattr(tf.keras.metrics, name))
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((y_true, y_pred)).batch(8))
    strategy.run(metric.update_state, args=next(iter(data)))
    assert np.allclose(metric.result(), plain.result(), rtol=1e-6)


def test_updating_across_replicas_is_refused() -> None:
    strategy = mirrored()
    with strategy.scope():
        metric = tf.keras.metrics.Mean()
        with pytest.raises(ValueError, match="does not support `assign_add` in cross-replica context"):
            metric.update_state(1.0)
    with pytest.raises(ValueError, match=r"Update it, or its metric, inside strategy\.run"):
        metric.update_state(1.0)
    assert float(metric.result()) == 0.0


def test_a_metric_made_outside_of_the_scope_still_counts_every_row() -> None:
    strategy, metric = mirrored(), tf.keras.metrics.Mean()
    (batch,) = batches(strategy, 6)
    strategy.run(metric.update_state, args=(batch,))
    assert float(metric.result()) == 3.5


def test_a_metric_of_ones_own_is_aggregated_before_its_result() -> None:
    class Largest(tf.keras.metrics.Metric):
        def __init__(self) -> None:
            super().__init__()
            self.total = self.add_weight(name="total", initializer="zeros")
            self.rows = self.add_weight(name="rows", initializer="zeros")

        def update_state(self, x: Any) -> None:
            self.total.assign_add(tf.reduce_sum(x * x))
            self.rows.assign_add(tf.cast(tf.shape(x)[0], tf.float32))

        def result(self) -> Any:
            return tf.sqrt(self.total / self.rows)

    strategy = mirrored()
    with strategy.scope():
        metric = Largest()
    (batch,) = batches(strategy, 6)

    def step(x: Any) -> Any:
        metric.update_state(x)
        return metric.result()

    expected = float(np.sqrt(np.mean(VALUES**2)))
    inside = strategy.run(step, args=(batch,))
    assert [float(v) for v in inside.values] == pytest.approx([expected] * 2, rel=1e-6)
    assert float(metric.result()) == pytest.approx(expected, rel=1e-6)
