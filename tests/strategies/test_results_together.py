"""What strategies hand out lies on several devices, and is used together as any other tensors."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy, OneDeviceStrategy

Values = Callable[[MirroredStrategy], tuple[Any, Any]]


def of_replicas(strategy: MirroredStrategy) -> tuple[Any, Any]:
    def step() -> Any:
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.cast(replica, tf.float32) + tf.constant([1.0, 2.0])

    return strategy.experimental_local_results(strategy.run(step))


def of_a_data_set(strategy: MirroredStrategy) -> tuple[Any, Any]:
    data = tf.data.Dataset.from_tensor_slices(np.float32([1, 2, 2, 3])).batch(4)
    return strategy.experimental_local_results(next(iter(strategy.experimental_distribute_dataset(data))))


def of_a_function(strategy: MirroredStrategy) -> tuple[Any, Any]:
    values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant([1.0, 2.0]) + float(context.replica_id_in_sync_group)
    )
    return strategy.experimental_local_results(values)


def of_a_variable(strategy: MirroredStrategy) -> tuple[Any, Any]:
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], synchronization=tf.VariableSynchronization.ON_READ)

    def step() -> None:
        v.assign_add(tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) * tf.ones(2))

    strategy.run(step)
    return strategy.experimental_local_results(v)


def of_two_strategies(strategy: MirroredStrategy) -> tuple[Any, Any]:
    other = OneDeviceStrategy("CPU:3")
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    with other.scope():
        w = tf.Variable([2.0, 3.0])
    return v.read_value(), other.run(lambda: w * 1.0)


SOURCES: list[Values] = [of_replicas, of_a_data_set, of_a_function, of_a_variable, of_two_strategies]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_values_of_several_devices_are_used_together(source: Values) -> None:
    first, second = source(MirroredStrategy(["CPU:1", "CPU:2"]))
    assert len({d for v in (first, second) if isinstance(v, jax.Array) for d in v.devices()}) == 2
    first, second = tf.identity(first), tf.identity(second)
    assert tf.concat([first, second], 0).numpy().tolist() == [1, 2, 2, 3]
    assert tf.stack([first, second]).numpy().tolist() == [[1, 2], [2, 3]]
    assert sum([first, second]).numpy().tolist() == [3, 5]
    assert tf.add_n([first, second]).numpy().tolist() == [3, 5]
    assert (first == second).numpy().tolist() == [False, False]
    assert tf.where(first > second, first, second).numpy().tolist() == [2, 3]
    assert tf.reduce_sum((first, second)).numpy() == 8.0


def test_a_value_of_a_replica_is_used_with_a_variable() -> None:
    strategy = MirroredStrategy(["CPU:1", "CPU:2"])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    second = of_replicas(strategy)[1]
    assert (second + v).numpy().tolist() == [3, 5]
    v.assign(second)
    assert v.numpy().tolist() == [2, 3]


def test_a_value_lies_on_the_device_that_made_it() -> None:
    strategy = MirroredStrategy(["CPU:1", "CPU:2"])
    assert [v.devices() for v in of_replicas(strategy)] == [{jax.devices()[1]}, {jax.devices()[2]}]


def test_strings_of_replicas_are_strings() -> None:
    strategy = MirroredStrategy(["CPU:0", "CPU:1"])
    data = tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).batch(3)
    for batch in strategy.experimental_distribute_dataset(data):
        first, second = strategy.experimental_local_results(batch)
        assert (first.numpy().tolist(), second.numpy().tolist()) == ([b"a", b"b"], [b"c"])
    names = strategy.experimental_distribute_values_from_function(lambda context: tf.constant("x"))
    assert [v.numpy() for v in strategy.experimental_local_results(names)] == [b"x", b"x"]
