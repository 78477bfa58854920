"""Variables of a model_fn: their names, collections, types, and scopes, where they differ from those of TensorFlow 2."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._tf1.graph import ModelState


def run(graph: ModelState, body: Callable[[], Any], mode: str = "train") -> Any:
    """What `body()` gives as a model_fn in a compiled step, whose result runs if it is an operation."""

    @tf.function
    def step() -> Any:
        with graph.building(mode):
            result = body()
            return result.run() if isinstance(result, tf1.Operation) else result

    return step()


def test_a_variable_of_other_collections_is_trained() -> None:
    graph = ModelState()

    def body() -> Any:
        kernel = tf1.get_variable("kernel", [], initializer=tf1.ones_initializer(), collections=["mine"])
        assert tf1.get_collection("mine") == tf1.trainable_variables() == [kernel]
        assert tf1.global_variables() == []
        return tf1.train.GradientDescentOptimizer(0.1).minimize(kernel * 2.0)

    run(graph, body)
    assert float(graph.variables["kernel"].numpy()) == pytest.approx(0.8)


def test_a_shared_batch_normalization_counts_every_call() -> None:
    graph = ModelState()

    def body() -> Any:
        layer = tf1.layers.BatchNormalization(momentum=0.5)
        layer(tf.constant([[0.0], [8.0]]), training=True)
        layer(tf.constant([[10.0], [14.0]]), training=True)
        return tf1.group(*tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))

    run(graph, body)
    assert graph.variables["batch_normalization/moving_mean"].numpy()[0] == (0.0 + 4.0) / 4 + 12.0 / 2
    assert graph.variables["batch_normalization/moving_variance"].numpy()[0] == (1.0 + 16.0) / 4 + 4.0 / 2


def test_rates_of_several_dtypes_are_refused() -> None:
    step = tf.constant(3)
    with pytest.raises(ValueError, match="all with the same dtype"):
        tf1.train.piecewise_constant(step, [1, 2], [0.1, 0.01, 0])
    assert float(tf1.train.piecewise_constant(step, [1, 2], [0.1, 0.01, 0.5])) == 0.5


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [None, 3])
def test_a_variable_begins_with_random_numbers_of_the_model_fn(seed: int | None) -> None:
    graph = ModelState(seed)

    @tf.function
    def step(x: Any) -> Any:
        with graph.building("train"):
            first = tf1.Variable(tf1.random_normal([200], 5.0, 0.1), name="first")
            second = tf1.get_variable("second", initializer=tf1.truncated_normal([200], stddev=0.1))
            third = tf1.Variable(tf1.random_uniform([200], 2.0, 3.0, tf.float64), name="third")
            fourth = tf1.Variable(tf1.random_normal([200], 5.0, 0.1), name="fourth")
            return first.assign_add(x * second[0] * 0.0 + tf.cast(third[0], tf.float32) * 0.0 + fourth * 0.0).run()

    step(tf.ones([1]))
    step(tf.ones([200]))
    first, second, third, fourth = (variable.numpy() for variable in graph.variables.values())
    assert abs(first.mean() - 5.0) < 0.05
    assert 0.0 < abs(second).max() <= 0.2
    assert third.dtype == np.float64
    assert 2.0 <= third.min() < third.max() < 3.0
    assert (first != fourth).all()


def test_random_first_values_follow_the_seeds() -> None:
    def made(graph_seed: int | None, seed: int | None, name: str = "v") -> list[float]:
        graph = ModelState(graph_seed)
        run(graph, lambda: tf1.Variable(tf1.random_normal([4], seed=seed), name=name).value)
        found: list[float] = graph.variables[name].numpy().tolist()
        return found

    assert made(None, None) != made(None, None)
    assert made(1, None) == made(1, None) != made(2, None)
    assert made(1, None) != made(1, None, "w")
    assert made(1, 5) == made(1, 5, "w") != made(1, 6)
    assert made(None, 5) == made(None, 5)


def test_a_first_value_that_is_computed_in_the_step_is_refused() -> None:
    with pytest.raises(ValueError, match=r"variable 'w' is computed inside the step.*Variable\(lambda:"):
        run(ModelState(), lambda: tf1.Variable(0.1 * tf1.random_normal([4]), name="w").value)


def test_slots_have_tensorflows_names() -> None:
    def body() -> Any:
        kernel = tf1.get_variable("kernel", [])
        for optimizer, slots in (
            (tf1.train.RMSPropOptimizer(0.1, centered=True), ["mg", "momentum", "rms"]),
            (tf1.train.FtrlOptimizer(0.1), ["accum", "linear"]),
        ):
            optimizer.minimize(kernel * 2.0)
            assert optimizer.get_slot_names() == slots
            assert optimizer.get_slot(kernel, slots[0]) is not None

    run(ModelState(), body)


def test_a_constraint_is_that_of_one_scope() -> None:
    with (
        ModelState().building("train"),
        tf1.variable_scope("outer", constraint=tf.nn.relu),
        tf1.variable_scope("inner"),
    ):
        assert tf1.get_variable("v", [1]).constraint is None


def test_regularization_losses_are_found_by_their_variables() -> None:
    with ModelState().building("train"):
        with tf1.variable_scope("net", regularizer=tf.reduce_sum):
            tf1.get_variable("v", [2], initializer=tf1.ones_initializer())
            tf1.layers.dense(tf.ones([1, 2]), 1, kernel_regularizer=tf.reduce_max, activity_regularizer=tf.reduce_sum)
        assert [float(loss) for loss in tf1.losses.get_regularization_losses("net/v/Regularizer")] == [2.0]
        assert len(tf1.losses.get_regularization_losses("net/dense/kernel/Regularizer")) == 2
        assert len(tf1.losses.get_regularization_losses("net/dense/ActivityRegularizer")) == 1


def test_a_value_of_another_dtype_is_refused() -> None:
    with (
        ModelState().building("train"),
        pytest.raises(ValueError, match=r"Initializer type .*int32.* and explicit dtype"),
    ):
        tf1.get_variable("v", initializer=tf.constant([1]), dtype=tf.float32)


def test_a_named_seed_is_another_than_the_graphs() -> None:
    graph = ModelState(3)
    drawn = run(graph, lambda: [tf.random.uniform([4]), *(tf.random.uniform([4], seed=s) for s in (0, 1))])
    assert len({tuple(np.asarray(numbers).tolist()) for numbers in drawn}) == 3


def test_keras_variables_of_one_name_have_their_own_averages() -> None:
    graph = ModelState()

    def body() -> Any:
        first, second = (tf.keras.layers.Dense(2, kernel_initializer=how) for how in ("zeros", "ones"))
        second(first(tf.ones([1, 2])))
        averages = tf1.train.ExponentialMovingAverage(0.9)
        operation = averages.apply([first.kernel, second.kernel])
        assert averages.average_name(second.kernel) == "dense_1/kernel/ExponentialMovingAverage"
        return operation

    run(graph, body)
    assert graph.variables["dense/kernel/ExponentialMovingAverage"].numpy().tolist() == [[0.0, 0.0]] * 2
    assert graph.variables["dense_1/kernel/ExponentialMovingAverage"].numpy().tolist() == [[1.0, 1.0]] * 2
