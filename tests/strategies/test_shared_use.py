"""What several threads, replicas' callbacks, strategies, and code outside of steps see of the same objects."""

import io
import threading
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf


@pytest.fixture
def two() -> tf.distribute.Strategy:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def in_threads(*works: Callable[[], object]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)


def test_threads_that_step_on_one_variable_lose_no_update(two: tf.distribute.Strategy) -> None:
    with two.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    step = tf.function(lambda: two.run(lambda: total.assign_add(1.0, read_value=False)))
    step()
    seen: list[float] = []
    in_threads(
        *[lambda: [step() for _ in range(100)] for _ in range(3)],
        lambda: seen.extend(float(total.numpy()) for _ in range(100)),
    )
    assert total.numpy() == 2 * 301
    assert seen == sorted(seen)


def test_print_shows_every_replicas_own_value(two: tf.distribute.Strategy) -> None:
    rows = tf.data.Dataset.from_tensor_slices(np.arange(400, dtype=np.float32)).batch(2)
    out = io.StringIO()
    step = tf.function(lambda batch: two.run(lambda x: tf.print(tf.reduce_sum(x), output_stream=out), args=(batch,)))
    for batch in two.experimental_distribute_dataset(rows):
        step(batch)

    jax.effects_barrier()
    assert sorted(map(float, out.getvalue().split())) == list(range(400))


def test_local_results_of_a_variable_are_the_replicas_copies(two: tf.distribute.Strategy) -> None:
    with two.scope():
        mirrored = tf.Variable(3.0)
        own = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )

    def step() -> None:
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        own.assign(4.0 * tf.cast(replica, tf.float32) + 1.0, read_value=False)

    two.run(step)
    assert [float(v) for v in two.experimental_local_results(own)] == [1.0, 5.0]
    assert [float(v) for v in two.experimental_local_results(mirrored)] == [3.0, 3.0]


def test_batch_normalization_without_rows_keeps_finite_statistics(two: tf.distribute.Strategy) -> None:
    with two.scope():
        layer = keras.layers.BatchNormalization()
        layer.build((None, 3))
    rows = np.random.default_rng(0).normal(size=(1, 3)).astype(np.float32)
    [batch] = two.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(4))
    two.run(lambda x: layer(x, training=True), args=(batch,))
    # Replica 0 moves its mean by a hundredth towards its row, replica 1 keeps it, and both get the average.
    np.testing.assert_allclose(layer.moving_mean.numpy(), rows[0] * 0.01 / 2, rtol=1e-5)


@pytest.mark.parametrize("use", [lambda v: v + 1, lambda v: v[0], lambda v: v.numpy(), float, len, list])
def test_a_per_replica_value_is_no_tensor(two: tf.distribute.Strategy, use: Callable[[object], object]) -> None:
    value = two.run(lambda: tf.constant(1.0))
    with pytest.raises(
        (RuntimeError, TypeError, AttributeError), match="one value per replica and is no tensor outside a replica"
    ):
        use(value)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [None, 7])
def test_random_numbers_are_drawn_under_one_strategy_after_another(seed: int | None) -> None:
    def drawn(strategy: Any) -> list[Any]:
        @tf.function
        def step() -> Any:
            return strategy.run(lambda: tf.nn.dropout(tf.ones([100]), 0.5, seed=seed))

        return [np.asarray(strategy.experimental_local_results(step())[0]) for _ in range(2)]

    tf.random.set_seed(5)
    one, two = tf.distribute.OneDeviceStrategy("cpu:0"), tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    first, second, again = drawn(one), drawn(two), drawn(two)
    assert len({numbers.tobytes() for numbers in (*second, *again)}) == 4
    tf.random.set_seed(5)
    np.testing.assert_array_equal([drawn(one), drawn(two), drawn(two)], [first, second, again])


@pytest.mark.parametrize("set_seed", [tf.random.set_seed, keras.utils.set_random_seed])
def test_a_seed_that_is_set_anew_restarts_steps_that_are_compiled_already(set_seed: Any) -> None:
    @tf.function
    def step() -> Any:
        return tf.random.normal([3]), tf.random.normal([3], seed=7)

    set_seed(5)
    first = [step(), step()]
    set_seed(5)
    np.testing.assert_array_equal([step(), step()], first)
    set_seed(6)
    assert not np.array_equal(step()[0], first[0][0])
    np.testing.assert_array_equal(step()[1], first[1][1])
