"""Distributed datasets as steps see them (how batches are divided: tests/data)."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import PerReplica
from stratagem._strategies import AbstractStrategy, MirroredStrategy
from tests.strategies.facade import each

DATA = np.arange(1.0, 12.0, dtype=np.float64)  # 11 rows: the last batch of 8 is uneven, with empty replicas on 4 and 8


def distributed(strategy: AbstractStrategy) -> Any:
    return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(DATA).batch(8))


def test_every_row_reaches_exactly_one_replica(strategy: AbstractStrategy) -> None:
    seen = [row for batch in distributed(strategy) for rows in each(strategy, batch) for row in rows]
    assert seen == DATA.tolist()


@pytest.mark.sampled
def test_every_row_counts_once_in_a_step_of_any_batch(strategy: AbstractStrategy) -> None:
    @tf.function
    def step(batch: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x * x), args=(batch,)), axis=None)

    assert sum(float(step(batch)) for batch in distributed(strategy)) == float(np.sum(DATA**2))


@pytest.mark.sampled
def test_the_mean_of_all_rows_needs_no_even_batches(strategy: AbstractStrategy) -> None:
    means = [strategy.reduce("MEAN", strategy.run(lambda x: 2.0 * x, args=(b,)), axis=0) for b in distributed(strategy)]
    assert [float(m) for m in means] == [9.0, 20.0]


@pytest.mark.sampled
def test_the_three_ways_to_iterate_give_the_same(strategy: AbstractStrategy) -> None:
    def per_batch(x: Any) -> Any:
        return tf.reduce_sum(x)

    @tf.function
    def step(batch: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(per_batch, args=(batch,)), axis=None)

    @tf.function
    def next_step(iterator: Any) -> Any:
        return step(next(iterator))

    @tf.function
    def whole(dataset: Any) -> Any:
        total = tf.constant(0.0, tf.float64)
        for batch in dataset:
            total += step(batch)
        return total

    data = distributed(strategy)
    iterator = iter(data)
    by_loop = [float(step(batch)) for batch in data]
    assert [float(next_step(iterator)), float(next_step(iterator))] == by_loop == [36.0, 30.0]
    with pytest.raises(StopIteration):
        next(iterator)
    assert float(whole(data)) == 66.0


def test_elements_are_per_replica_only_for_several_replicas(strategy: AbstractStrategy) -> None:
    element = next(iter(distributed(strategy)))
    assert isinstance(element, PerReplica) == (strategy.num_replicas_in_sync > 1)


def test_a_dataset_function_gives_every_replica_a_batch_a_step(strategy: AbstractStrategy) -> None:
    contexts: list[Any] = []

    def dataset_fn(context: Any) -> Any:
        contexts.append(context)
        batch = context.get_per_replica_batch_size(8)
        return tf.data.Dataset.from_tensor_slices(DATA).repeat().batch(batch, drop_remainder=True)

    first = next(iter(strategy.distribute_datasets_from_function(dataset_fn)))
    replicas = strategy.num_replicas_in_sync
    assert [len(rows) for rows in each(strategy, first)] == [8 // replicas] * replicas
    assert [row for rows in each(strategy, first) for row in rows] == DATA[:8].tolist()
    (context,) = contexts
    assert (context.num_input_pipelines, context.input_pipeline_id) == (1, 0)
    assert context.num_replicas_in_sync == replicas


def test_the_last_step_of_a_dataset_function_has_empty_replicas(mirrored: MirroredStrategy) -> None:
    data = mirrored.distribute_datasets_from_function(lambda _: tf.data.Dataset.from_tensor_slices(DATA[:5]).batch(2))
    assert [each(mirrored, batch) for batch in data] == [[[1.0, 2.0], [3.0, 4.0]], [[5.0], []]]
    total = sum(float(mirrored.reduce("SUM", batch, axis=0)) for batch in data)
    assert total == 15.0


def test_the_default_strategy_hands_out_the_dataset_itself() -> None:
    default, data = tf.distribute.get_strategy(), tf.data.Dataset.range(4)
    assert default.experimental_distribute_dataset(data) is data
    assert default.distribute_datasets_from_function(lambda context: data) is data


def test_drawing_inside_a_replica_is_refused(mirrored: MirroredStrategy) -> None:
    iterator = iter(distributed(mirrored))
    with pytest.raises(ValueError, match=r"next\(iterator\) should be called from outside of replica_fn"):
        mirrored.run(lambda: next(iterator))


@pytest.mark.sampled
def test_values_from_a_function_are_one_a_replica(strategy: AbstractStrategy) -> None:
    replicas = strategy.num_replicas_in_sync
    contexts: list[Any] = []

    def value(context: Any) -> Any:
        contexts.append(context)
        return {"rows": np.full(context.replica_id_in_sync_group, 2.0), "id": context.replica_id_in_sync_group}

    values = strategy.experimental_distribute_values_from_function(value)
    assert [(c.replica_id_in_sync_group, c.num_replicas_in_sync) for c in contexts] == [
        (i, replicas) for i in range(replicas)
    ]
    assert isinstance(values["id"], PerReplica) == (replicas > 1)

    def use(values: Any) -> Any:
        return tf.reduce_sum(values["rows"]) + tf.cast(values["id"], tf.float64)

    total = strategy.reduce("SUM", strategy.run(use, args=(values,)), axis=None) if replicas > 1 else use(values)
    assert float(total) == 3 * sum(range(replicas))


def test_values_that_are_no_tensors_stay_what_they_are() -> None:
    strategy = MirroredStrategy(["CPU:0", "CPU:1"])
    made = strategy.experimental_distribute_values_from_function(lambda context: context)
    assert [context.replica_id_in_sync_group for context in made.values] == [0, 1]
    assert str(made.values[1]) == "tf.distribute.ValueContext(replica id 1,  total replicas in sync: 2)"
    words = strategy.experimental_distribute_values_from_function(lambda c: f"r{c.replica_id_in_sync_group}")
    assert [word.item() for word in words.values] == [b"r0", b"r1"]


def test_values_are_made_in_cross_replica_context_only() -> None:
    strategy = MirroredStrategy(["CPU:0", "CPU:1"])

    def inside() -> Any:
        return strategy.experimental_distribute_values_from_function(lambda context: 1)

    with pytest.raises(RuntimeError, match="cross-replica context"):
        strategy.run(inside)
    with pytest.raises(TypeError, match="value_fn must be a function"):
        strategy.experimental_distribute_values_from_function(3)  # type: ignore[arg-type]


def test_what_other_libraries_call_a_data_set_is_distributed_as_it_is(strategy: AbstractStrategy) -> None:
    by_rows = strategy.experimental_distribute_dataset(DATA, batch_size=8)
    by_batches = strategy.experimental_distribute_dataset([DATA[:8], DATA[8:]])
    for source in (by_rows, by_batches):
        assert [row for batch in source for rows in each(strategy, batch) for row in rows] == DATA.tolist()
