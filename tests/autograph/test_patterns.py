"""What training programs decide on tensors: when to update, when to stop, what to keep, what to draw again."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import DivergenceError

ROWS = np.arange(11, dtype=np.float32)  # batches of 4, 4 and 3: the last is uneven on two replicas


@pytest.fixture
def two() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def test_gradients_are_applied_every_second_step_also_on_uneven_batches(two: Any) -> None:
    with two.scope():
        weight, steps = tf.Variable(1.0), tf.Variable(0, dtype=tf.int64, trainable=False)
        optimizer = tf.keras.optimizers.SGD(0.1)
        kept = tf.Variable(
            0.0,
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x) * weight * weight
        kept.assign_add(tape.gradient(loss, weight))
        steps.assign_add(1)
        if steps % 2 == 0:
            optimizer.apply_gradients([(kept, weight)])
            kept.assign(0.0)
        return loss

    @tf.function
    def epoch(data: Any) -> Any:
        total = 0.0
        for batch in data:
            total += two.reduce("SUM", two.run(replica, (batch,)), axis=None)
        return total

    data = two.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(ROWS).batch(4))
    # 6 and 22 with weight 1: the gradient is 2 * 28. 27 with the weight after that.
    after = 1.0 - 0.1 * 56
    assert float(epoch(data)) == pytest.approx(28 + 27 * after**2, rel=1e-6)
    assert float(weight) == pytest.approx(after, rel=1e-6)
    assert float(kept.read_value()) == pytest.approx(2 * 27 * after, rel=1e-6)


def test_a_collective_that_replicas_may_not_all_reach_is_refused_with_its_line(two: Any) -> None:
    def replica(x: Any) -> Any:
        if tf.reduce_sum(x) > 3.0:
            x = tf.distribute.get_replica_context().all_reduce("SUM", x)
        return x

    x = two.experimental_distribute_values_from_function(lambda c: tf.constant([4.0 * c.replica_id_in_sync_group]))
    with pytest.raises(DivergenceError, match=rf"{__file__}:\d+: a collective .* equal on all replicas"):
        two.run(replica, (x,))


def test_a_collective_in_a_branch_that_all_replicas_take_alike_is_compiled(two: Any) -> None:
    def replica(x: Any) -> Any:
        context = tf.distribute.get_replica_context()
        if context.all_reduce("SUM", x) > 3.0:
            x = context.all_reduce("SUM", x)
        return x

    x = two.experimental_distribute_values_from_function(lambda c: tf.constant(4.0 * c.replica_id_in_sync_group))
    assert [float(v) for v in two.run(replica, (x,)).values] == [4.0, 4.0]


def test_a_fit_by_hand_stops_when_it_has_converged(two: Any) -> None:
    with two.scope():
        weight = tf.Variable(0.0)

    def replica(limit: Any) -> Any:
        rounds = 0
        change = tf.constant(1.0)
        while tf.abs(change) > limit:
            change = 0.5 * (3.0 - weight)
            weight.assign_add(change)
            rounds += 1
        return rounds

    assert [int(v) for v in two.run(replica, (tf.constant(0.1),)).values] == [5, 5]
    assert float(weight) == 3.0 - 3.0 / 2**5


def test_a_beam_of_the_best_paths() -> None:
    table = np.log(np.random.default_rng(0).dirichlet(np.ones(5), size=5).astype(np.float32))

    @tf.function
    def search(scores: Any, width: int, end: int) -> Any:
        paths, totals = tf.zeros([width, 4], tf.int32), tf.where(tf.range(width) == 0, 0.0, -1e9)
        for step in tf.range(4):
            last = paths[:, step - 1] if step > 0 else tf.zeros([width], tf.int32)
            extended = tf.reshape(totals[:, None] + tf.gather(scores, last), [-1])
            totals, chosen = tf.math.top_k(extended, width)
            paths = tf.gather(paths, chosen // 5)
            paths = tf.where(tf.range(4)[None] == step, (chosen % 5)[:, None], paths)
            if tf.reduce_all(paths[:, step] == end):
                break
        return paths, totals

    paths, totals = search(tf.constant(table), 3, 9)
    every = {
        (a, b, c, d): table[0, a] + table[a, b] + table[b, c] + table[c, d] for a, b, c, d in np.ndindex(5, 5, 5, 5)
    }
    beam = [((), 0.0)]
    for _ in range(4):
        longer = [((*p, n), s + table[p[-1] if p else 0, n]) for p, s in beam for n in range(5)]
        beam = sorted(longer, key=lambda found: -found[1])[:3]
    assert [tuple(p) for p in np.asarray(paths).tolist()] == [p for p, _ in beam]
    np.testing.assert_allclose(totals, [every[p] for p, _ in beam], rtol=1e-6)


def test_a_step_that_draws_until_it_accepts(two: Any) -> None:
    def replica() -> Any:
        value, draws = tf.random.uniform([]), 1
        while value < 0.9:
            value = tf.random.uniform([])
            draws += 1
        return value, draws

    values, draws = two.run(replica)
    assert all(float(v) >= 0.9 for v in values.values)
    assert sum(int(n) for _ in range(5) for n in two.run(replica)[1].values) > 10
    assert all(int(n) >= 1 for n in draws.values)
