"""Ragged and sparse tensors that are divided among replicas; the divisions are those of TensorFlow 2.15.1."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.job import Job
from stratagem._core.values import DistributedValues
from stratagem._data import AutoShardPolicy
from tests.core.step.counting import strategies
from tests.data.workers import distributed, on_all_workers, with_policy

ROWS = [[1, 2], [], [3], [4, 5, 6], [7], [8, 9], []]


def ragged_batches(rows: Any = ROWS) -> Any:
    return tf.data.Dataset.from_tensor_slices(tf.ragged.constant(rows)).batch(3)


def sparse_batches() -> Any:
    return tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0], [3, 4], [0, 0], [5, 0]])).batch(3)


@pytest.fixture(scope="module")
def two() -> Any:
    return strategies()["two replicas"]


def by_replica(strategy: Any, dataset: Any, step: Any) -> list[Any]:
    """What every replica returns for its rows of each batch."""
    found = []
    for batch in strategy.experimental_distribute_dataset(dataset):
        parts = strategy.experimental_local_results(strategy.run(step, args=(batch,)))
        found.append([np.asarray(part).tolist() for part in parts])
    return found


def test_every_replica_has_a_ragged_tensor_of_its_rows(two: Any) -> None:
    distributed = two.experimental_distribute_dataset(ragged_batches())
    assert [spec.shape for spec in distributed.element_spec.specs] == [(None, None)] * 2
    found = [[part.to_list() for part in batch.values] for batch in distributed]
    assert found == [[[[1, 2], []], [[3]]], [[[4, 5, 6], [7]], [[8, 9]]], [[[]], []]]
    first = next(iter(distributed))
    assert isinstance(first, DistributedValues)
    assert repr(first) == "PerReplica:{\n  0: <tf.RaggedTensor [[1, 2], []]>\n  1: <tf.RaggedTensor [[3]]>\n}"


def test_every_replica_has_a_sparse_tensor_of_its_rows(two: Any) -> None:
    distributed = two.experimental_distribute_dataset(sparse_batches())
    found = [[tf.sparse.to_dense(part).tolist() for part in batch.values] for batch in distributed]
    assert found == [[[[0, 1], [2, 0]], [[3, 4]]], [[[0, 0]], [[5, 0]]]]


def test_steps_compute_with_rows_of_other_lengths_in_each_replica(two: Any) -> None:
    sums = by_replica(two, ragged_batches(), lambda rows: tf.reduce_sum(rows, axis=1))
    assert sums == [[[3, 0], [3]], [[15, 7], [17]], [[0], []]]
    padded = by_replica(two, ragged_batches(), lambda rows: (rows * 2).to_tensor())
    assert padded == [[[[2, 4], [0, 0]], [[6]]], [[[8, 10, 12], [14, 0, 0]], [[16, 18]]], [[[]], []]]
    dense = by_replica(two, sparse_batches(), tf.sparse.to_dense)
    assert dense == [[[[0, 1], [2, 0]], [[3, 4]]], [[[0, 0]], [[5, 0]]]]


def test_results_are_ragged_tensors_of_every_replica(two: Any) -> None:
    for run in (two.run, tf.function(lambda step, args: two.run(step, args=args))):
        batch = next(iter(two.experimental_distribute_dataset(ragged_batches())))
        found = run(lambda rows: {"twice": rows * 2}, args=(batch,))
        first, second = two.experimental_local_results(found)
        assert (first["twice"].to_list(), second["twice"].to_list()) == ([[2, 4], []], [[6]])
        assert [part.to_list() for part in found["twice"].values] == [[[2, 4], []], [[6]]]


def test_strings_in_rows_run_before_the_step(two: Any) -> None:
    words = ragged_batches([["a", "bb"], ["ccc"], [], ["dd"]])
    lengths = by_replica(two, words, lambda rows: tf.strings.length(rows).to_tensor())
    assert lengths == [[[[1, 2], [3, 0]], [[]]], [[[2]], []]]


def test_a_table_is_trained_with_ragged_rows_as_with_one_replica(two: Any) -> None:
    found = []
    for strategy in (two, strategies()["one device"]):
        with strategy.scope():
            table = tf.Variable(np.arange(20.0).reshape(10, 2), dtype=tf.float32)
            optimizer = tf.keras.optimizers.SGD(0.5)

        def step(rows: Any, table: Any = table, optimizer: Any = optimizer) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.reduce_sum(tf.nn.embedding_lookup(table, rows), axis=1)))
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
            return loss

        def epoch(batches: Any, strategy: Any = strategy, step: Any = step) -> Any:
            return [strategy.reduce("SUM", strategy.run(step, args=(rows,)), axis=None) for rows in batches]

        losses = epoch(strategy.experimental_distribute_dataset(ragged_batches()))
        found.append((np.asarray(losses), table.numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)


def test_replicas_with_datasets_of_their_own_have_ragged_batches(two: Any) -> None:
    distributed = two.distribute_datasets_from_function(lambda context: ragged_batches())
    found = [[part.to_list() for part in batch.values] for batch in distributed]
    assert found == [[[[1, 2], [], [3]], [[4, 5, 6], [7], [8, 9]]], [[[]], []]]


def test_scalars_among_ragged_batches_are_refused(two: Any) -> None:
    dataset = tf.data.Dataset.from_tensors((tf.ragged.constant([[1], []]), 3))
    with pytest.raises(ValueError, match="has a scalar of dtype int32"):
        two.experimental_distribute_dataset(dataset)


@pytest.mark.parametrize("policy", [AutoShardPolicy.DATA, AutoShardPolicy.OFF], ids=["common", "own"])
def test_workers_agree_on_the_shapes_of_ragged_pieces(policy: AutoShardPolicy) -> None:
    def lists(job: Job) -> list[list[Any]]:
        dataset = with_policy(ragged_batches(ROWS[: 7 if policy is AutoShardPolicy.DATA else 4 - job.worker]), policy)
        return [[part.to_list() for part in element.values] for element in distributed(dataset, job)]

    first, second = on_all_workers(2, lists)
    if policy is AutoShardPolicy.DATA:
        assert (first, second) == ([[[[1, 2], []]], [[[4, 5, 6], [7]]], [[[]]]], [[[[3]]], [[[8, 9]]], [[]]])
    else:  # each has its own, and the second one has ended first
        assert (first, second) == ([[[[1, 2], []]], [[[3]]], [[[4, 5, 6]]]], [[[[1, 2]]], [[[], [3]]], [[]]])
