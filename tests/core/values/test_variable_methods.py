"""Variables, name scopes, modules and modes of execution, compared with what TensorFlow 2.15.1 answered."""

import gc
import json
import logging
import pathlib
import weakref
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.core.values import variables
from tests.thorough import thorough_but

RECORDED: dict[str, Any] = json.loads(
    pathlib.Path(__file__).with_name("recorded").joinpath("variables.json").read_text()
)


@pytest.mark.sampled
@pytest.mark.parametrize("mode", thorough_but(["eager", "replica"], variables.MODES))
def test_operations_on_a_variable_are_those_of_tensorflow(mode: str) -> None:
    found = variables.answers(tf, mode)
    assert {name: row for name, row in found.items() if row != RECORDED[mode][name]} == {}
    assert set(found) == set(RECORDED[mode])


def test_a_variable_answers_as_in_tensorflow() -> None:
    found = json.loads(json.dumps(variables.facts(tf)))
    assert {name: answer for name, answer in found.items() if answer != RECORDED["facts"][name]} == {}


def test_what_fails_in_tensorflow_fails_with_the_same_class_of_error() -> None:
    found = variables.failures(tf)
    assert {name: kind for name, kind in found.items() if kind != RECORDED["failures"][name]} == {}


def test_steps_that_run_as_python_see_and_leave_what_they_do_in_tensorflow() -> None:
    assert json.loads(json.dumps(variables.eager_steps(tf))) == RECORDED["eager steps"]


def test_a_model_trains_to_the_same_weights_compiled_and_as_python() -> None:
    weights = []
    for eagerly in (False, True):
        keras.utils.set_random_seed(5)
        strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        with strategy.scope():
            model = keras.Sequential([keras.layers.Dense(1), keras.layers.BatchNormalization()])
            optimizer = keras.optimizers.SGD(0.1)

        def step(x: Any, model: Any = model, optimizer: Any = optimizer) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(model(x, training=True))) / 3.0
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        data = tf.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.float32).reshape(3, 2)).batch(3)
        tf.config.run_functions_eagerly(eagerly)
        try:
            for batch in strategy.experimental_distribute_dataset(data):  # two rows and one
                strategy.run(step, (batch,))
        finally:
            tf.config.run_functions_eagerly(False)
        weights.append([w.numpy() for w in model.weights])
    for compiled, python in zip(*weights, strict=True):
        np.testing.assert_allclose(python, compiled, rtol=1e-5, atol=1e-6)


def test_replicas_that_run_as_python_fail_together() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable(0.0)

    def replica_id() -> int:
        return int(tf.distribute.get_replica_context().replica_id_in_sync_group)

    def leaves() -> None:
        if replica_id() == 0:
            tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(1.0))

    def fails() -> None:
        if replica_id() == 1:
            raise KeyError("the second")
        tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(1.0))

    tf.config.run_functions_eagerly(True)
    try:
        with pytest.raises(RuntimeError, match="Replica 1 has ended while replicas"):
            strategy.run(leaves)
        with pytest.raises(KeyError, match="the second"):
            strategy.run(fails)
        with pytest.raises(ValueError, match="a different value on every replica"):
            strategy.run(lambda: v.assign(float(replica_id())))
        with tf.GradientTape() as tape:
            tape.watch(x := tf.constant(2.0))
            y = strategy.run(lambda: x * x).values[0]
        with pytest.raises(RuntimeError, match="replicas that ran as Python"):
            tape.gradient(y, x)
    finally:
        tf.config.run_functions_eagerly(False)
    assert v.numpy() == 0.0


def test_each_replicas_part_of_a_variable_can_be_read() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        layer = keras.layers.Dense(1)
        layer.build((None, 2))
        v = tf.Variable([1.0, 2.0], name="v")
    first, second = v.values
    assert [second.name, second.device[-5:], layer.kernel.values[1].device[-5:]] == ["v/replica_1:0", "CPU:1", "CPU:1"]
    assert [tuple(second.shape), second.dtype, second.trainable] == [(2,), "float32", True]
    assert (tf.reduce_sum(first) + second).numpy().tolist() == [4.0, 5.0]
    assert repr(v).startswith("MirroredVariable:{\n  0: <tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=")
    with pytest.raises(RuntimeError, match="one replica's part"):
        second.assign([3.0, 4.0])
    with pytest.raises(TypeError, match="cannot be pickled"):
        v.__reduce_ex__(2)[2]["_placement"].__reduce__()


def test_an_open_shape_has_a_program_for_each_size(caplog: pytest.LogCaptureFixture) -> None:
    traced: list[Any] = []
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable([1.0], shape=[None], name="open")
        with pytest.raises(ValueError, match="without unknown dimensions"):
            tf.Variable([1.0], shape=[None], synchronization=tf.VariableSynchronization.ON_READ)

    @tf.function
    def doubled() -> Any:
        traced.append(tuple(v.value.shape))
        v.assign(v * 2.0)
        return tf.reduce_sum(v)

    with caplog.at_level(logging.WARNING):
        for size in (1, 2, 1, 2):
            v.assign(tf.ones([size]))
            assert float(strategy.run(doubled).values[1]) == 2.0 * size
            assert [part.numpy().shape for part in v.values] == [(size,)] * 2
    assert set(traced) == {(1,), (2,)}
    assert len(traced) == 2
    assert not caplog.records


def test_the_device_of_a_block_has_what_is_made_in_it() -> None:
    with tf.device("/CPU:1"):
        x, v = tf.constant(1.0) + 1.0, tf.Variable(1.0)
        with tf.device("/GPU:99"):  # as in TensorFlow, a device that is not there is replaced
            y = tf.constant(1.0)
    assert [str(x.device)[-5:], v.device[-5:], str(y.device)[-5:]] == ["CPU:1", "CPU:1", "CPU:1"]
    assert str((tf.constant(1.0) + 1.0).device)[-5:] == "CPU:0"


def test_the_value_of_a_variable_is_called_only_where_it_is_called_in_place() -> None:
    v, k = tf.Variable([1.0, 2.0]), keras.Variable([3.0, 4.0])
    called, kept = [v.value(), k.value()], [v.value, k.value]
    shapes = v.value().shape, v.value.shape
    assert [x.tolist() for x in called] == [x.tolist() for x in kept] == [[1.0, 2.0], [3.0, 4.0]]
    assert not any(map(callable, kept))
    assert shapes == ((2,), (2,))
    assert getattr(v, "value").tolist() == [1.0, 2.0]  # noqa: B009


def test_a_component_of_a_variable_computes_as_a_tensor() -> None:
    with tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]).scope():
        vector, number = tf.Variable([1.0, 2.0]), tf.Variable(3)
    one, three = vector.values[1], number.values[1]
    results = [2.0 - one, 1.0 / one, -one, one**2, one[1], abs(-one), sum(one), tf.reduce_sum(one)]
    assert [np.asarray(x).tolist() for x in results] == [[1, 0], [1, 0.5], [-1, -2], [1, 4], 2, [1, 2], 3, 3]
    assert (one < 2.0).tolist() == (one == 1.0).tolist() == [True, False]
    assert [float(three), int(three), bool(three), "abcd"[three], len(one)] == [3.0, 3, True, "d", 2]
    with pytest.raises(TypeError, match="unhashable"):  # as a variable of TensorFlow
        hash(one)


def test_slices_keep_no_variable_alive() -> None:
    v = tf.Variable([1.0, 2.0])
    whole, reference = v[...], weakref.ref(v)
    assert whole.tolist() == [1.0, 2.0]
    with pytest.raises(AttributeError, match="a tensor cannot be changed"):
        (whole + 1.0).assign([1.0, 2.0])
    del v
    gc.collect()
    assert reference() is None
