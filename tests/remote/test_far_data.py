"""Iterators that workers in other processes have: what a scheduled function draws, it draws as in one process."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.remote.far import far_job


@pytest.fixture
def coordinator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Of a job with one worker."""
    with far_job(monkeypatch, servers=2, workers=1) as coordinator:
        yield coordinator


def total(coordinator: Any) -> Any:
    """A zero on a server."""
    with coordinator.strategy.scope():
        return tf.Variable(0.0, dtype="float64")


def iterator_of(coordinator: Any, batches: list[list[float]]) -> Any:
    """One that has these batches."""

    def dataset_fn() -> Any:
        return tf.data.Dataset.from_generator(lambda: iter(map(np.array, batches)), output_signature=SPEC)

    return iter(coordinator.create_per_worker_dataset(dataset_fn))


SPEC = tf.TensorSpec((None,), tf.float64)
GOOD, BAD = [1.0, 2.0], [1.0, float("nan")]


def test_a_batch_that_makes_a_step_fail_is_drawn_once(coordinator: Any) -> None:
    v, iterator = total(coordinator), iterator_of(coordinator, [GOOD, BAD, BAD, GOOD, GOOD])
    with coordinator.strategy.scope():
        optimizer = tf.keras.optimizers.SGD(-1.0)

    @tf.function
    def step(iterator: Any) -> Any:
        batch = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * batch)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return batch

    outcomes = []
    for _ in range(6):
        value = coordinator.schedule(step, args=(iterator,))
        try:
            coordinator.join()
            outcomes.append(float(value.fetch()[1]))
        except (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError) as error:
            outcomes.append(type(error))
    bad = tf.errors.InvalidArgumentError
    assert outcomes == [2.0, bad, bad, 2.0, 2.0, tf.errors.OutOfRangeError]
    assert float(v.numpy()) == 9.0
