"""Scheduled functions compute with strings: those that they draw at their worker, before the step."""

from typing import Any

import numpy as np

import stratagem as tf

WORDS = ["a", "bb", "ccc", "dddd", "eeeee"]


def test_a_scheduled_step_looks_up_the_words_that_it_draws(strategy: Any, coordinator: Any) -> None:
    """Words become ids, whose rows of a table on the servers are trained; each batch has its own words."""
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
        return tf.data.Dataset.from_tensor_slices(WORDS).repeat().batch(2, drop_remainder=True)

    iterator = iter(coordinator.create_per_worker_dataset(words))
    values = [coordinator.schedule(step, args=(iterator,)) for _ in range(15)]
    coordinator.join()
    totals = [int(value.fetch()) for value in values]
    assert sorted(set(totals)) == sorted({3, 7, 6, 5, 9}), "of the pairs that a worker's iterator has"
    assert float(np.sum(table.numpy())) == -2 * 2 * 15, (
        "each of the two words of a batch moves a row of two numbers by one"
    )
    assert table.numpy()[0].tolist() == [0, 0]
