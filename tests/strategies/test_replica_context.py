"""ReplicaContext: what a replica function may ask and do."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import AbstractStrategy, MirroredStrategy
from tests.strategies.facade import each, replica_id, spread

SUM, MEAN = tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN


def context() -> Any:
    """The context of the running replica."""
    return tf.distribute.get_replica_context()


def numbers(strategy: AbstractStrategy) -> tuple[Any, list[float]]:
    """1.0, 2.0, … one a replica."""
    values = [float(i + 1) for i in range(strategy.num_replicas_in_sync)]
    return spread(strategy, [np.float32(v) for v in values]), values


def test_it_knows_its_strategy_and_the_number_of_replicas(strategy: AbstractStrategy) -> None:
    seen: list[Any] = []

    def step() -> None:
        seen.append((context().strategy, context().num_replicas_in_sync, len(context().devices)))

    strategy.run(step)
    assert set(seen) == {(strategy, strategy.num_replicas_in_sync, strategy.num_replicas_in_sync)}


def test_all_reduce_gives_every_replica_the_sum_or_the_mean(strategy: AbstractStrategy) -> None:
    value, values = numbers(strategy)

    def step(x: Any) -> Any:
        return context().all_reduce(SUM, x), context().all_reduce("mean", {"a": [x, 2.0 * x]})

    total, mean = strategy.run(step, args=(value,))
    replicas = strategy.num_replicas_in_sync
    assert each(strategy, total) == [sum(values)] * replicas
    assert each(strategy, mean["a"][0]) == [sum(values) / replicas] * replicas
    assert each(strategy, mean["a"][1]) == [2 * sum(values) / replicas] * replicas


def test_the_gradient_of_all_reduce_is_the_all_reduce_of_the_gradient(mirrored: MirroredStrategy) -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context().all_reduce(SUM, x * x)
        return y, tape.gradient(y, x)

    y, gradient = mirrored.run(step, args=(spread(mirrored, [np.float32(1), np.float32(2)]),))
    assert each(mirrored, y) == [5.0, 5.0]
    assert each(mirrored, gradient) == [4.0, 8.0]


def test_the_gradient_of_a_mean_over_replicas_is_the_mean_of_the_gradient(mirrored: MirroredStrategy) -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context().all_reduce(MEAN, x * x) * tf.cast(replica_id() + 1, tf.float32)
        return tape.gradient(y, x)

    gradient = mirrored.run(step, args=(spread(mirrored, [np.float32(1), np.float32(2)]),))
    assert each(mirrored, gradient) == [3.0, 6.0]  # mean(1, 2) * 2x


@pytest.mark.sampled
def test_all_gather_gives_every_replica_the_concatenation(strategy: AbstractStrategy) -> None:
    replicas = strategy.num_replicas_in_sync
    value = spread(strategy, [np.float32([[i, i + 10]]) for i in range(replicas)])
    rows, columns = strategy.run(
        lambda x: (context().all_gather(x, axis=0), context().all_gather({"x": x}, axis=1)["x"]), (value,)
    )
    for i in range(replicas):
        assert each(strategy, rows)[i] == [[r, r + 10] for r in range(replicas)]
        assert each(strategy, columns)[i] == [[n for r in range(replicas) for n in (r, r + 10)]]


def test_the_gradient_of_all_gather_is_the_replicas_part_of_the_sum(mirrored: MirroredStrategy) -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context().all_gather(x, axis=0) * tf.constant([10.0, 100.0])
        return tape.gradient(y, x)

    gradient = mirrored.run(step, args=(spread(mirrored, [np.float32([1]), np.float32([2])]),))
    assert each(mirrored, gradient) == [[20.0], [200.0]]


@pytest.mark.sampled
def test_merge_call_sees_all_replicas_in_cross_replica_context(strategy: AbstractStrategy) -> None:
    value, values = numbers(strategy)

    def merge(given: Any, x: Any, *, factor: float) -> Any:
        assert given is strategy
        if tf.distribute.has_strategy():
            assert tf.distribute.in_cross_replica_context()
            assert context() is None
        return given.reduce(SUM, x, axis=None) * factor

    def step(x: Any) -> Any:
        result = context().merge_call(merge, args=(x,), kwargs={"factor": 2.0})
        return result + tf.cast(replica_id(), tf.float32)

    result = strategy.run(step, args=(value,))
    assert each(strategy, result) == [2.0 * sum(values) + i for i in range(len(values))]


def test_merge_call_hands_per_replica_results_back_to_their_replicas(mirrored: MirroredStrategy) -> None:
    value, _ = numbers(mirrored)
    result = mirrored.run(lambda x: context().merge_call(lambda s, y: y, args=(x * 3.0,)), args=(value,))
    assert each(mirrored, result) == [3.0, 6.0]


def test_merge_call_may_assign_variables(mirrored: MirroredStrategy) -> None:
    with mirrored.scope():
        v = tf.Variable(0.0)
    value, _ = numbers(mirrored)

    def step(x: Any) -> None:
        context().merge_call(lambda s, y: v.assign(s.reduce(SUM, y, axis=None)), args=(x,))

    mirrored.run(step, args=(value,))
    assert v.numpy() == 3.0


def test_the_replica_id_is_an_int32_tensor(mirrored: MirroredStrategy) -> None:
    seen: list[Any] = []
    mirrored.run(lambda: seen.append(replica_id()))
    assert all(i.dtype == np.int32 and i.shape == () for i in seen)


def test_outside_of_any_strategy_there_is_one_replica(strategy: AbstractStrategy) -> None:
    outside = tf.distribute.get_replica_context()
    assert outside.strategy is tf.distribute.get_strategy()
    assert outside.num_replicas_in_sync == 1
    assert outside.replica_id_in_sync_group == 0
    assert not isinstance(outside.replica_id_in_sync_group, jax.Array)
    x = tf.constant([1.0, 2.0])
    assert outside.all_reduce(SUM, x).numpy().tolist() == [1.0, 2.0]
    assert outside.all_gather(x, axis=0).numpy().tolist() == [1.0, 2.0]
    assert outside.merge_call(lambda s, y: (s, y), args=(x,)) == (tf.distribute.get_strategy(), x)


def test_outside_of_its_replica_a_context_is_refused(mirrored: MirroredStrategy) -> None:
    kept: list[Any] = []
    mirrored.run(lambda: kept.append(context()))
    for use in (
        lambda: kept[0].replica_id_in_sync_group,
        lambda: kept[0].all_reduce(SUM, tf.constant(1.0)),
        lambda: kept[0].all_gather(tf.constant([1.0]), axis=0),
        lambda: kept[0].merge_call(lambda s: None),
    ):
        with pytest.raises(RuntimeError, match=r"Need to be inside `strategy.run`"):
            use()


def test_all_reduce_refuses_another_op_and_all_gather_scalars(mirrored: MirroredStrategy) -> None:
    value, _ = numbers(mirrored)
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        mirrored.run(lambda x: context().all_reduce("max", x), args=(value,))
    with pytest.raises(ValueError, match="gather along axis 0 of a value with shape"):
        mirrored.run(lambda x: context().all_gather(x, axis=0), args=(value,))
