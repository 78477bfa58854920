"""Gradients of a graph, some of whose sources have no path to the target."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf

tf1 = tf.compat.v1


def variables() -> tuple[Any, Any]:
    return tf1.get_variable("v", initializer=2.0), tf1.get_variable("unused", initializer=3.0)


def by_minimize(x: Any, v: Any, unused: Any) -> Any:
    return tf1.train.GradientDescentOptimizer(0.1).minimize(v * v * x)


def by_compute_gradients(x: Any, v: Any, unused: Any) -> Any:
    optimizer = tf1.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(v * v * x, [v, unused])
    assert [gradient is None for gradient, _ in pairs] == [False, True]
    return optimizer.apply_gradients(pairs[:1])


def by_gradients(x: Any, v: Any, unused: Any) -> Any:
    of_v, of_unused = tf1.gradients(v * v * x, [v, unused])
    assert of_unused is None
    return tf1.assign_sub(v, 0.1 * of_v)


def by_tape(x: Any, v: Any, unused: Any) -> Any:
    with tf.GradientTape() as tape:
        y = v * v * x
    of_v, of_unused = tape.gradient(y, [v, unused])
    assert of_unused is None
    return tf1.assign_sub(v, 0.1 * of_v)


def by_second_derivative(x: Any, v: Any, unused: Any) -> Any:
    (first,) = tf1.gradients(v * v * v * x, [v])  # 3 v v x; its derivative is 6 v x
    second, of_unused = tf1.gradients(first, [v, unused])
    assert of_unused is None
    return tf1.assign_sub(v, 0.1 * second / 3.0)


@pytest.mark.parametrize(
    "train", [by_minimize, by_compute_gradients, by_gradients, by_tape, by_second_derivative], ids=lambda f: f.__name__
)
def test_an_unconnected_source_is_none_and_the_rest_trains(train: Callable[..., Any]) -> None:
    with tf.Graph().as_default():
        x = tf1.placeholder(tf.float32, [])
        v, unused = variables()
        step = train(x, v, unused)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(step, {x: 1.0})
            np.testing.assert_allclose(session.run([v, unused]), [1.6, 3.0], rtol=1e-6)
