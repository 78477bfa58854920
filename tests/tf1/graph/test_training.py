"""A model_fn of TensorFlow 1 trains in a compiled step, on one device and on two."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._tf1.graph import (
    ModelState,
    get_or_create_global_step,
    get_variable,
)
from stratagem._tf1.graph.train import GradientDescentOptimizer
from tests.tf1.graph.training import trainer

FEATURES = np.float32([[1.0, 1.5], [2.0, 2.5], [3.0, 3.5], [4.0, 4.5]])
LABELS = np.float32([[0.3], [0.5], [0.7], [0.9]])


def linear(features: Any, labels: Any) -> tuple[Any, Any]:
    kernel = get_variable("kernel", [2, 1], initializer="ones")
    bias = get_variable("bias", [1], initializer="zeros")
    loss = tf.reduce_mean(tf.square(features @ kernel + bias - labels))
    step = get_or_create_global_step()
    return loss, GradientDescentOptimizer(0.01).minimize(loss, global_step=step)


def plain(steps: int) -> tuple[np.ndarray, np.ndarray]:
    kernel, bias = np.ones((2, 1)), np.zeros(1)
    for _ in range(steps):
        error = 2 * (FEATURES @ kernel + bias - LABELS) / len(LABELS)
        kernel, bias = kernel - 0.01 * FEATURES.T @ error, bias - 0.01 * error.sum(0)
    return kernel, bias


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_model_fn_trains(replicas: int) -> None:
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    graph = ModelState()
    step = trainer(linear, graph, strategy)
    features, labels = np.split(FEATURES, replicas), np.split(LABELS, replicas)
    losses = [step(features, labels) for _ in range(3)]
    assert losses[0] > losses[1] > losses[2]
    assert list(graph.variables) == ["kernel", "bias", "global_step"]
    kernel, bias = plain(3)
    np.testing.assert_allclose(graph.variables["kernel"].numpy(), kernel, rtol=1e-6)
    np.testing.assert_allclose(graph.variables["bias"].numpy(), bias, rtol=1e-6)
    assert int(graph.global_step.numpy()) == 3
