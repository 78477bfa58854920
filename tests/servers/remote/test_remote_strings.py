"""A worker in another process: the strings that its iterator has are brought to the coordinator, which computes with them."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.servers.remote.remote_tasks import remote_job


def test_a_scheduled_step_looks_up_the_words_of_a_remote_iterator(monkeypatch: pytest.MonkeyPatch) -> None:
    with remote_job(monkeypatch, servers=2, workers=1) as coordinator:
        strategy = coordinator.strategy
        with strategy.scope():
            table = tf.Variable(np.zeros((6, 2)), dtype=tf.float32)
            optimizer = tf.keras.optimizers.SGD(1.0)

        @tf.function
        def step(iterator: Any) -> Any:
            def replica(words: Any) -> Any:
                ids = tf.strings.length(words)
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
                optimizer.apply_gradients([(tape.gradient(loss, table), table)])
                return tf.reduce_sum(ids)

            return strategy.reduce("SUM", strategy.run(replica, args=(next(iterator),)), axis=None)

        def words() -> Any:
            return tf.data.Dataset.from_tensor_slices(["a", "bb", "ccc", "dddd", "eeeee"]).repeat().batch(2)

        iterator = iter(coordinator.create_per_worker_dataset(words))
        values = [coordinator.schedule(step, args=(iterator,)) for _ in range(5)]
        coordinator.join()
        assert [int(value.fetch()) for value in values] == [3, 7, 6, 5, 9]
        assert table.numpy()[:, 0].tolist() == [0, -2, -2, -2, -2, -2]
