"""Replicas: losses are means over them unless they are sums, statistics and metrics are of all, random numbers their own."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._tf1.graph import ModelState
from tests.tf1.graph.made import waves
from tests.tf1.graph.training import trainer

ROWS = 8
FEATURES = np.sin(np.arange(ROWS * 3, dtype="float32")).reshape(ROWS, 3)
LABELS = np.arange(ROWS) % 2


def trained(model_fn: Any, replicas: int, steps: int = 3, mode: str = "train") -> ModelState:
    """The graph after some steps on the same rows, divided among the replicas."""
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    graph = ModelState(seed=1)
    step = trainer(model_fn, graph, strategy, mode)
    for _ in range(steps):
        step(np.split(FEATURES, replicas), np.split(LABELS, replicas))
    return graph


def values(graph: ModelState) -> dict[str, Any]:
    return {name: variable.numpy() for name, variable in graph.variables.items()}


def classifier(reduction: str | None = None, rate: float = 0.1) -> Any:
    def model_fn(features: Any, labels: Any) -> tuple[Any, Any]:
        with tf1.variable_scope("net", initializer=waves(tf1)):
            logits = tf1.layers.dense(tf1.layers.dense(features, 4, tf.nn.relu), 2)
        how = {} if reduction is None else {"reduction": reduction}
        loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits, **how)
        step = tf1.train.get_or_create_global_step()
        return loss, tf1.train.AdamOptimizer(rate).minimize(loss, step)

    return model_fn


@pytest.mark.sampled
@pytest.mark.parametrize("reduction", [None, tf1.losses.Reduction.SUM])
@pytest.mark.parametrize("replicas", [2, pytest.param(4, marks=pytest.mark.thorough)])
def test_replicas_train_to_the_weights_of_one_device(reduction: str | None, replicas: int) -> None:
    one, several = (values(trained(classifier(reduction), n)) for n in (1, replicas))
    assert several.keys() == one.keys()
    for name, value in one.items():
        np.testing.assert_allclose(several[name], value, rtol=2e-6, atol=2e-6, err_msg=name)


def test_a_loss_of_ones_own_is_a_mean_over_replicas() -> None:
    def model_fn(features: Any, labels: Any) -> tuple[Any, Any]:
        kernel = tf1.get_variable("kernel", [3, 1], initializer=waves(tf1))
        loss = tf.reduce_mean(tf.square(features @ kernel))
        return loss, tf1.train.GradientDescentOptimizer(0.1).minimize(loss)

    one, two = (values(trained(model_fn, n))["kernel"] for n in (1, 2))
    np.testing.assert_allclose(two, one, rtol=2e-6)


def test_moving_statistics_are_means_over_replicas() -> None:
    def model_fn(features: Any, labels: Any) -> tuple[Any, Any]:
        tf1.layers.batch_normalization(features, momentum=0.5, training=True)
        return tf.constant(0.0), tf1.group(*tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))

    statistics = values(trained(model_fn, 2, steps=1))
    halves = np.split(FEATURES, 2)
    np.testing.assert_allclose(
        statistics["batch_normalization/moving_mean"], np.mean([h.mean(0) for h in halves], 0) / 2, rtol=1e-5, atol=1e-7
    )
    np.testing.assert_allclose(
        statistics["batch_normalization/moving_variance"], 0.5 + np.mean([h.var(0) for h in halves], 0) / 2, rtol=1e-5
    )


def test_metrics_are_of_all_replicas() -> None:
    found = []

    def model_fn(features: Any, labels: Any) -> tuple[Any, Any]:
        accuracy, update = tf1.metrics.accuracy(labels, features[:, 0] > 0)
        found.append(2.0 * accuracy - 1.0)
        return tf.constant(0.0), update

    graph = trained(model_fn, 2, mode="eval")
    right = np.mean((FEATURES[:, 0] > 0) == LABELS)
    assert {name: float(v.numpy()) for name, v in graph.local.items()} == {
        "accuracy/total": 3 * ROWS * right,
        "accuracy/count": 3 * ROWS,
    }
    assert float(found[-1].read()) == pytest.approx(2 * right - 1)
    assert graph.variables == {}


def test_replicas_drop_different_entries_and_the_seed_repeats_them() -> None:
    def model_fn(features: Any, labels: Any) -> tuple[Any, Any]:
        kept = tf1.get_variable(
            "kept", [64], initializer=tf1.zeros_initializer(), aggregation=tf.VariableAggregation.SUM
        )
        dropped = tf1.layers.dropout(tf.ones([64]), 0.5, training=True)
        return tf.constant(0.0), tf1.assign_add(kept, dropped)

    one, again = (values(trained(model_fn, 1, steps=1))["kept"] for _ in range(2))
    np.testing.assert_array_equal(one, again)
    two = values(trained(model_fn, 2, steps=1))["kept"]
    assert set(two.tolist()) == {0.0, 2.0, 4.0}  # alike, the replicas would give 0 and 4 only


def test_one_program_for_each_shape() -> None:
    calls = []

    def counted(features: Any, labels: Any) -> Any:
        calls.append(features.shape)
        return classifier()(features, labels)

    trained(counted, 2, steps=4)
    assert len(calls) == 1
