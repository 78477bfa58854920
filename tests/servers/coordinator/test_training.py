"""The custom training loop of the parameter-server guide, and random numbers in scheduled functions."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.servers.coordinator.functions import WORKERS, Coordinator
from tests.servers.remote.serving import serving


def test_the_guides_loop_trains_an_embedding_classifier_on_three_workers() -> None:
    """Table in two shards on two servers, data made at each worker, the loss fetched, evaluation both ways."""
    strategy = serving(servers=2, workers=WORKERS, shards=2)
    coordinator = Coordinator(strategy)
    words = ["avenger", "ironman", "batman", "hulk", "spiderman", "kingkong", "wonder_woman"]
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        table = tf.keras.layers.Embedding(len(words) + 1, 64)
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Input((3,), dtype="int32"),
                table,
                tf.keras.layers.GlobalAveragePooling1D(),
                tf.keras.layers.Dense(1, "sigmoid"),
            ]
        )
        optimizer, accuracy = tf.keras.optimizers.RMSprop(0.02), tf.keras.metrics.Accuracy()
    assert [tuple(shard.shape) for shard in table.embeddings.variables] == [(4, 64), (4, 64)]

    def data() -> Any:
        ids = np.random.default_rng(1).integers(0, 8, (200, 3)).astype("int32")
        labels = (ids.sum(1, keepdims=True) > 10).astype("float32")
        return tf.data.Dataset.from_tensor_slices((ids, labels)).shuffle(200).batch(32).repeat()

    @tf.function
    def step(iterator: Any) -> Any:
        def replica(ids: Any, labels: Any) -> Any:
            with tf.GradientTape() as tape:
                predicted = model(ids, training=True)
                loss = tf.nn.compute_average_loss(tf.keras.losses.binary_crossentropy(labels, predicted))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            accuracy.update_state(labels, tf.cast(predicted > 0.5, tf.float32))
            return loss

        return strategy.reduce("SUM", strategy.run(replica, args=next(iterator)), axis=None)

    iterator = iter(
        coordinator.create_per_worker_dataset(lambda: strategy.distribute_datasets_from_function(lambda _: data()))
    )
    losses = []
    for _ in range(4):
        accuracy.reset_state()
        for _ in range(30):
            value = coordinator.schedule(step, args=(iterator,))
        coordinator.join()
        losses.append(float(value.fetch()))
        assert float(accuracy.count.numpy()) > 0
    assert int(optimizer.iterations.numpy()) == 120
    assert losses[-1] < 0.5
    assert float(accuracy.result()) > 0.8

    seen, right = 0, 0
    for ids, labels in data().take(4):
        right += int(np.sum((np.asarray(model(ids)) > 0.5) == (np.asarray(labels) > 0.5)))
        seen += len(labels)
    assert right / seen > 0.8

    with strategy.scope():
        measured = tf.keras.metrics.Accuracy()

    @tf.function
    def evaluate(iterator: Any) -> Any:
        ids, labels = next(iterator)
        measured.update_state(labels, tf.cast(model(ids) > 0.5, tf.float32))

    evaluation = iter(coordinator.create_per_worker_dataset(data))
    for _ in range(6):
        coordinator.schedule(evaluate, args=(evaluation,))
    coordinator.join()
    assert float(measured.result()) > 0.8


def test_a_schedule_of_keras_counts_the_updates_at_the_servers() -> None:
    strategy = serving(servers=2, workers=WORKERS)
    coordinator = Coordinator(strategy)
    with strategy.scope():
        weights = [tf.Variable(np.zeros(4, "float32")) for _ in range(3)]
        rate = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 2, 0.5, staircase=True)
        optimizer = tf.keras.optimizers.SGD(rate)

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(weight) for weight in weights)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

    for _ in range(6):
        coordinator.schedule(step)
    coordinator.join()
    assert int(optimizer.iterations.numpy()) == 6
    for weight in weights:
        np.testing.assert_array_equal(weight.numpy(), [-2 * (0.5 + 0.25 + 0.125)] * 4)


@pytest.mark.parametrize("served", [False, True], ids=["without a variable", "with one on a server"])
def test_random_numbers_of_scheduled_functions_repeat_from_a_seed(served: bool) -> None:
    strategy = serving(servers=1, workers=1)
    coordinator = Coordinator(strategy)
    with strategy.scope():
        zero = tf.Variable(tf.zeros([2]))
        tf.random.normal([2])

    @tf.function
    def draws() -> Any:
        return strategy.run(lambda: tf.random.normal([2]) + (zero if served else 0.0))

    tf.random.set_seed(3)
    first = [coordinator.schedule(draws).fetch() for _ in range(3)]
    tf.random.set_seed(3)
    np.testing.assert_array_equal([coordinator.schedule(draws).fetch() for _ in range(3)], first)
    assert len({numbers.tobytes() for numbers in first}) == 3
