"""Variables of a model_fn: their names, collections, types, and scopes, where they differ from those of TensorFlow 2."""

from collections.abc import Callable
from typing import Any

import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.graph import Graph


def run(graph: Graph, body: Callable[[], Any], mode: str = "train") -> Any:
    """What `body()` gives as a model_fn in a compiled step, whose result runs if it is an operation."""

    @tf.function
    def step() -> Any:
        with graph.building(mode):
            result = body()
            return result.run() if isinstance(result, tf1.Operation) else result

    return step()


def names(body: Callable[[], Any]) -> list[str]:
    """The names of the variables that `body()` makes in a model_fn."""
    graph = Graph()
    run(graph, lambda: (body(), None)[1])
    return list(graph.variables)


def test_a_variable_of_other_collections_is_trained() -> None:
    graph = Graph()

    def body() -> Any:
        kernel = tf1.get_variable("kernel", [], initializer=tf1.ones_initializer(), collections=["mine"])
        assert tf1.get_collection("mine") == tf1.trainable_variables() == [kernel]
        assert tf1.global_variables() == []
        return tf1.train.GradientDescentOptimizer(0.1).minimize(kernel * 2.0)

    run(graph, body)
    assert float(graph.variables["kernel"].numpy()) == pytest.approx(0.8)


def test_a_shared_batch_normalization_counts_every_call() -> None:
    graph = Graph()

    def body() -> Any:
        layer = tf1.layers.BatchNormalization(momentum=0.5)
        layer(tf.constant([[0.0], [8.0]]), training=True)
        layer(tf.constant([[10.0], [14.0]]), training=True)
        return tf1.group(*tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))

    run(graph, body)
    assert graph.variables["batch_normalization/moving_mean"].numpy()[0] == (0.0 + 4.0) / 4 + 12.0 / 2
    assert graph.variables["batch_normalization/moving_variance"].numpy()[0] == (1.0 + 16.0) / 4 + 4.0 / 2


def test_rates_of_several_dtypes_are_refused() -> None:
    step = tf.constant(3)
    with pytest.raises(ValueError, match="all with the same dtype"):
        tf1.train.piecewise_constant(step, [1, 2], [0.1, 0.01, 0])
    assert float(tf1.train.piecewise_constant(step, [1, 2], [0.1, 0.01, 0.5])) == 0.5
