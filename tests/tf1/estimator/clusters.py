"""Clusters of this process, for tests of what the chief does; and a model for them."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from stratagem.testing import free_ports

FEATURES = [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]]
LABELS = [[0.3], [0.5], [0.7]]


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    """A linear model of two features."""
    weights = tf1.get_variable("weights", (2, 1), initializer=tf1.zeros_initializer())
    loss = tf.reduce_mean((tf.matmul(features, weights) - labels) ** 2)
    optimizer = tf1.train.GradientDescentOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_or_create_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows(repetitions: int = 1) -> Callable[[], Any]:
    """An input_fn of three batches with one row each, so often."""
    return lambda: tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat(repetitions).batch(1)


@contextlib.contextmanager
def chief_of(monkeypatch: pytest.MonkeyPatch, workers: int) -> Iterator[None]:
    """In the body this process is the chief of a cluster with so many workers and one server, which run in it, too."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(workers + 2)]
    cluster = {"chief": addresses[:1], "ps": addresses[1:2], "worker": addresses[2:]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "chief", "index": 0}}))
    for job, index in [("ps", 0), *(("worker", i) for i in range(workers))]:
        tf.distribute.Server(cluster, job_name=job, task_index=index)
    yield
    monkeypatch.delenv("TF_CONFIG")
