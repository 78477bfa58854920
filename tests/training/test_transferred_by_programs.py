"""Batches of arrays that a program transfers to its device itself: the same training, and what users see are tensors."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from tests.core.step.observing import compilations
from tests.training.small import BATCH, X, Y, batched, close, descended, kernel, linear


def test_batches_and_what_is_on_the_device_already_share_one_program() -> None:
    model = linear("one device", steps_per_execution=1)
    with compilations() as compiled:
        model.train_on_batch(X[:BATCH], Y[:BATCH])  # on the device
        model.set_weights([np.zeros((2, 1)), np.zeros(1)])
        model.fit(X[: 2 * BATCH], Y[: 2 * BATCH], batch_size=BATCH, shuffle=False, verbose=0)
    assert sum("replica" in name for name in compiled) == 1, compiled
    close(kernel(model), descended(batched(X[: 2 * BATCH], Y[: 2 * BATCH])))


def test_executions_of_several_steps_take_their_batches_and_the_rest() -> None:
    model = linear("one device", steps_per_execution=2)
    history = model.fit(X, Y, batch_size=2, shuffle=False, verbose=0)  # 5 batches: 2, 2 and 1
    close(kernel(model), descended(batched(size=2)))
    assert np.isfinite(history.history["loss"][0])


@pytest.mark.parametrize("per_execution", [1, 2])
def test_labels_of_64_bits_arrive_exactly(per_execution: int) -> None:
    class Largest(tf.keras.Model):
        def train_step(self, data: Any) -> Any:
            _, y = data
            assert y.dtype == np.int64
            return {"is_large": tf.reduce_sum(tf.cast(y == 2**40 + 1, "float32"))}

    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        model = Largest()
        model.compile(steps_per_execution=per_execution)
    large = np.full((2 * BATCH,), 2**40 + 1, np.int64)
    history = model.fit(X[: 2 * BATCH], large, batch_size=BATCH, shuffle=False, verbose=0)
    assert history.history["is_large"] == [BATCH]


@pytest.mark.parametrize("per_execution", [1, 2, 4])
def test_the_logs_of_an_execution_are_those_of_its_last_step(per_execution: int) -> None:
    class First(tf.keras.Model):
        def train_step(self, data: Any) -> Any:
            return {"first": data[0][0]}

    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        model = First()
        model.compile(steps_per_execution=per_execution)
    numbers = np.arange(8, dtype="float32")
    history = model.fit(numbers, numbers, batch_size=2, shuffle=False, verbose=0)
    assert history.history["first"] == [6.0]


def test_a_position_is_taken_up_by_any_number_of_replicas() -> None:
    data = tf.data.Dataset.from_tensor_slices(X).batch(2)
    one, two = (
        s.experimental_distribute_dataset(data)
        for s in (tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))
    )
    first, other = iter(one), iter(two)
    assert isinstance(next(first), jax.Array)
    other.set_state(first.get_state())
    rows = [np.asarray(v) for v in next(other).values]
    np.testing.assert_array_equal(np.concatenate(rows), X[2:4])
    again = iter(one)
    again.set_state(other.get_state())
    np.testing.assert_array_equal(next(again), X[4:6])
