"""strategy.run: who is called with what, and what comes back."""

import collections
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import PerReplica
from stratagem._strategies import AbstractStrategy, MirroredStrategy
from tests.strategies.facade import each, replica_id, spread


class Pair(NamedTuple):
    first: Any
    second: Any


def test_every_replica_runs_once_and_knows_its_id(strategy: AbstractStrategy) -> None:
    ids = strategy.run(lambda: tf.constant(0) + replica_id())
    assert each(strategy, ids) == list(range(strategy.num_replicas_in_sync))


def test_values_of_a_replica_lie_on_its_device(strategy: AbstractStrategy) -> None:
    result = strategy.run(lambda: tf.constant(1.0))
    where = [v.device for v in strategy.experimental_local_results(result)]
    assert where == list(strategy.mesh.local_devices)


@pytest.mark.sampled
def test_per_replica_arguments_are_taken_apart_anywhere_in_a_structure(strategy: AbstractStrategy) -> None:
    rows = spread(strategy, [[float(i), 1.0] for i in range(strategy.num_replicas_in_sync)])

    def step(nested: dict[str, Any], *, scale: Any) -> Any:
        (x,) = nested["x"]
        return tf.reduce_sum(x) * scale

    result = strategy.run(step, args=({"x": [rows]},), kwargs={"scale": 2.0})
    assert each(strategy, result) == [2.0 * (i + 1) for i in range(strategy.num_replicas_in_sync)]


def test_other_arguments_are_passed_whole(strategy: AbstractStrategy) -> None:
    seen: list[Any] = []

    def step(tensor: Any, array: Any, number: Any, text: Any, nothing: Any) -> Any:
        seen.append((tensor.shape, array.shape, number, text, nothing))
        return tf.reduce_sum(tensor) + tf.reduce_sum(tf.constant(array)) + number

    result = strategy.run(step, args=(tf.ones([3]), np.ones([2], np.float32), 4, "text", None))
    assert each(strategy, result) == [9.0] * strategy.num_replicas_in_sync
    assert set(seen) == {((3,), (2,), 4, "text", None)}


def test_a_variable_is_passed_whole_and_comes_back_as_itself(strategy: AbstractStrategy) -> None:
    with strategy.scope():
        v = tf.Variable(2.0)
    same, doubled = strategy.run(lambda w: (w, w * 2.0), args=(v,))
    assert same is v
    assert each(strategy, doubled) == [4.0] * strategy.num_replicas_in_sync


def test_the_same_python_object_on_all_replicas_comes_back_unwrapped(strategy: AbstractStrategy) -> None:
    thing = object()
    assert strategy.run(lambda: (1, "text", None, 2.5, thing)) == (1, "text", None, 2.5, thing)


def test_equal_tensors_come_back_one_a_replica(strategy: AbstractStrategy) -> None:
    result = strategy.run(lambda: tf.constant(3.0))
    if strategy.num_replicas_in_sync == 1:
        assert isinstance(result, jax.Array)
        assert result.numpy() == 3.0
    else:
        assert isinstance(result, PerReplica)
        assert len(result.values) == strategy.num_replicas_in_sync


def test_the_structure_of_the_result_is_kept(strategy: AbstractStrategy) -> None:
    def step() -> Any:
        i = tf.cast(replica_id(), tf.float32)
        return Pair({"a": [i, (i + 1.0,)]}, collections.OrderedDict(z=i, b=None))

    result = strategy.run(step)
    assert type(result) is Pair
    assert type(result.second) is collections.OrderedDict
    assert list(result.second) == ["z", "b"]
    assert result.second["b"] is None
    assert type(result.first["a"]) is list
    assert type(result.first["a"][1]) is tuple
    assert each(strategy, result.first["a"][1][0]) == [i + 1.0 for i in range(strategy.num_replicas_in_sync)]


def test_a_function_without_result_returns_none(strategy: AbstractStrategy) -> None:
    assert strategy.run(lambda: None) is None


@pytest.mark.sampled
def test_a_result_is_an_argument_of_the_next_run(strategy: AbstractStrategy) -> None:
    first = strategy.run(lambda: tf.constant(1) + replica_id())
    second = strategy.run(lambda x: x * 10, args=(first,))
    assert each(strategy, second) == [10 * (i + 1) for i in range(strategy.num_replicas_in_sync)]


@pytest.mark.sampled
def test_run_works_inside_tf_function_and_within_scope(strategy: AbstractStrategy) -> None:
    @tf.function
    def outer(x: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(lambda y: tf.reduce_sum(y) * 2.0, args=(x,)), axis=None)

    rows = spread(strategy, [[1.0, float(i)] for i in range(strategy.num_replicas_in_sync)])
    expected = sum(2.0 * (1 + i) for i in range(strategy.num_replicas_in_sync))
    assert outer(rows).numpy() == expected
    with strategy.scope():
        assert outer(rows).numpy() == expected


@pytest.mark.sampled
def test_per_replica_values_that_a_compiled_function_has_from_outside_are_inputs_of_it(
    strategy: AbstractStrategy,
) -> None:
    replicas = strategy.num_replicas_in_sync
    rows = spread(strategy, [np.float32([1, i]) for i in range(replicas)])
    uneven = spread(strategy, [np.float32([i] * (i + 1)) for i in range(replicas)])
    held = {"rows": rows}

    @tf.function
    def closed_over() -> Any:
        doubled = strategy.run(lambda x, y: tf.reduce_sum(x * 2.0) + tf.reduce_sum(y), args=(rows, uneven))
        return (
            strategy.reduce("SUM", rows, axis=0),
            strategy.gather(rows, axis=0),
            doubled,
            strategy.run(tf.identity, (rows,)),
        )

    @tf.function
    def branching(go: Any) -> Any:
        ran = lambda: strategy.reduce("SUM", strategy.run(lambda x: x, args=(held["rows"],)), axis=None)  # noqa: E731
        return tf.cond(go, ran, lambda: tf.zeros([2]))

    def in_python() -> Any:
        @tf.function
        def inner() -> Any:
            return strategy.run(tf.reduce_sum, args=(rows,))

        return inner()

    for _ in range(2):
        total, gathered, doubled, same = closed_over()
        assert total.numpy() == sum(1.0 + i for i in range(replicas))
        assert gathered.numpy().tolist() == [x for i in range(replicas) for x in (1.0, float(i))]
        assert each(strategy, doubled) == [2.0 * (1 + i) + i * (i + 1) for i in range(replicas)]
        assert each(strategy, same) == [[1.0, float(i)] for i in range(replicas)]
        assert branching(tf.constant(True)).numpy().tolist() == [replicas, sum(range(replicas))]
        assert each(strategy, in_python()) == [1.0 + i for i in range(replicas)]


def test_a_tf_function_passed_to_run_runs_on_every_replica(strategy: AbstractStrategy) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x + tf.cast(replica_id(), tf.float32)

    replicas = strategy.num_replicas_in_sync
    assert each(strategy, strategy.run(step, args=(1.0,))) == [1.0 + i for i in range(replicas)]


def test_an_error_of_the_function_reaches_the_caller_and_leaves_the_context(strategy: AbstractStrategy) -> None:
    def step() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        strategy.run(step)
    assert not tf.distribute.has_strategy()
    assert each(strategy, strategy.run(lambda: tf.constant(1))) == [1] * strategy.num_replicas_in_sync


def test_variables_made_in_the_first_run_are_mirrored_and_found_again(mirrored: MirroredStrategy) -> None:
    made: list[Any] = []

    def step() -> Any:
        if not made:
            made.append(tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM))
        made[0].assign_add(tf.cast(replica_id(), tf.float32) + 1.0)
        return made[0].read_value()

    assert each(mirrored, mirrored.run(step)) == [4.0, 4.0]
    assert each(mirrored, mirrored.run(step)) == [7.0, 7.0]
    assert made[0].numpy() == 7.0


def test_local_results_of_a_structure_repeat_what_is_shared(mirrored: MirroredStrategy) -> None:
    value = {"x": spread(mirrored, [1, 2]), "y": "same"}
    first, second = mirrored.experimental_local_results(value)
    assert (int(first["x"]), first["y"]) == (1, "same")
    assert (int(second["x"]), second["y"]) == (2, "same")


@pytest.mark.parametrize("value", [3.0, "text", None, [1, 2]])
def test_local_results_of_a_plain_value_is_a_tuple_of_it(strategy: AbstractStrategy, value: Any) -> None:
    assert strategy.experimental_local_results(value) == (value,)
