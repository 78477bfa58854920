"""Steps that run together, and steps whose Python runs at every call, are the same steps."""

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

X = np.random.default_rng(0).normal(size=(96, 4)).astype("float32")
Y = X.sum(1, keepdims=True)


class Told(keras.Model):
    """A model that writes a summary of its own at every call."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, x: Any) -> Any:
        """Its outputs."""
        outputs = self.dense(x)
        tf.summary.scalar("outputs", tf.reduce_mean(outputs))
        return outputs


@pytest.mark.parametrize("options", [{"steps_per_execution": 3}, {"run_eagerly": True}])
def test_a_step_that_writes_summaries_is_the_same_step(options: dict[str, Any], tmp_path: Path) -> None:
    def trained(**options: Any) -> list[np.ndarray]:
        keras.utils.set_random_seed(1)
        with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
            model = Told()
            model.compile("sgd", "mse", **options)
        model.fit(X, Y, batch_size=20, shuffle=False, verbose=0)  # 4 batches of 20, one of 16
        return list(model.get_weights())

    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        one_by_one, other = trained(), trained(**options)
    for a, b in zip(one_by_one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_what_python_makes_anew_at_every_eager_call_is_noticed() -> None:
    calls, logged = [0], []

    class Counting(keras.Sequential):
        def train_step(self, data: Any) -> Any:
            calls[0] += 1
            counted = tf.constant(np.full((3,), calls[0], np.float32))
            return {**super().train_step(data), "counted": tf.reduce_sum(counted)}

    class Logs(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            logged.append((calls[0], logs["counted"]))

    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = Counting([keras.layers.Input((4,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse", run_eagerly=True)
    model.fit(X, Y, batch_size=32, verbose=0, callbacks=[Logs()])
    assert [value for _, value in logged] == [3.0 * number for number, _ in logged]
    assert len({value for _, value in logged}) == 3


def test_a_shuffled_sequence_has_another_order_in_every_epoch_and_the_same_for_a_seed() -> None:
    class Batches(keras.utils.PyDataset):
        seen: list[int]

        @property
        def num_batches(self) -> int:
            return 8

        def __getitem__(self, index: int) -> Any:
            self.seen.append(index)
            return X[index : index + 4], Y[index : index + 4]

    def orders() -> list[list[int]]:
        keras.utils.set_random_seed(5)
        with tf.distribute.OneDeviceStrategy("CPU:0").scope():
            model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
        batches = Batches()
        batches.seen = []
        model.fit(batches, epochs=2, verbose=0, shuffle=True)
        return [batches.seen[:8], batches.seen[8:]]

    first, second = orders()
    assert sorted(first) == sorted(second) == list(range(8))
    assert first != second != list(range(8))
    assert orders() == [first, second]
