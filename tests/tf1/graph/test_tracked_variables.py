"""Methods whose variables are found by name, and random numbers that are the same in two programs."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import ContextError

v1 = tf.compat.v1
utils = v1.keras.utils
ROWS = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)


class Shim(tf.keras.layers.Layer):
    """A layer with variables of each kind."""

    @utils.track_tf1_style_variables
    def call(self, x: Any, training: bool = False) -> Any:
        with v1.variable_scope("a", regularizer=tf.keras.regularizers.L2(0.1)):
            w = v1.get_variable("w", [3, 2], initializer=v1.ones_initializer())
            assert v1.get_variable("w", [3, 2]) is w
        v1.get_variable("calls", [], trainable=False, initializer=v1.zeros_initializer()).assign_add(1.0)
        y = v1.layers.batch_normalization(tf.matmul(x, w), training=training, momentum=0.5)
        return v1.layers.dense(utils.get_or_create_layer("top", lambda: tf.keras.layers.Dense(4))(y), 1, name="out")


def named(layer: Any, name: str) -> Any:
    (found,) = (v for v in layer.variables if v.name.removesuffix(":0").endswith(name))
    return found


def test_a_layer_has_its_variables_in_all_calls() -> None:
    layer = Shim()
    layer(ROWS, training=True)
    np.testing.assert_allclose(layer.losses, [0.6], rtol=1e-6)  # 0.1 * six ones
    variables = list(layer.variables)
    assert len(variables) == 10
    assert len(layer.trainable_variables) == 7
    compiled = tf.function(lambda x: layer(x, training=True))
    compiled(ROWS)
    assert list(map(id, layer.variables)) == list(map(id, variables))
    assert float(named(layer, "calls").numpy()) == 2.0
    mean = 0.75 * (ROWS @ np.ones((3, 2), np.float32)).mean(0)  # two updates with momentum 0.5
    np.testing.assert_allclose(named(layer, "moving_mean"), mean, rtol=1e-5, atol=1e-6)


def test_such_a_layer_is_trained_by_fit() -> None:
    model = tf.keras.Sequential([Shim()])
    model.compile("sgd", "mse")
    losses = model.fit(ROWS, np.ones((8, 1)), epochs=3, verbose=0).history["loss"]
    assert losses == sorted(losses, reverse=True)
    assert len(model.trainable_variables) == 7


def test_a_module_has_them_too() -> None:
    class Mine(tf.Module):
        @utils.track_tf1_style_variables
        def __call__(self, x: Any) -> Any:
            return v1.layers.dense(x, 2, name="d")

    module = Mine()
    first = module(ROWS)
    np.testing.assert_array_equal(module(ROWS), first)
    assert sorted(v.name for v in module.trainable_variables) == ["d/bias:0", "d/kernel:0"]
    with pytest.raises(ValueError, match="Trying to share variable d/kernel"):
        module(ROWS[:, :2])


def test_what_is_no_module_is_refused() -> None:
    class Mine:
        @utils.track_tf1_style_variables
        def call(self) -> None: ...

    with pytest.raises(ValueError, match=r"must be applied to a method of a subclassed `tf.Module`"):
        Mine().call()
    with pytest.raises(ContextError):
        utils.get_or_create_layer("a", lambda: None)


def test_random_numbers_are_the_same_in_a_graph_and_outside_of_it() -> None:
    for mode, equal in (("constant", True), ("num_random_ops", False)):
        with utils.DeterministicRandomTestTool(mode=mode).scope():
            a, b = tf.random.normal([3]), tf.random.normal([3])
        with utils.DeterministicRandomTestTool(mode=mode).scope(), tf.Graph().as_default(), v1.Session() as session:
            found = session.run([tf.random.normal([3]), tf.random.normal([3])])
        np.testing.assert_array_equal(found, [a, b])
        assert np.array_equal(a, b) is equal
        with tf.Graph().as_default(), v1.Session() as session:
            with utils.DeterministicRandomTestTool(mode=mode).scope():
                made = [tf.random.normal([3]), tf.random.normal([3])]
            np.testing.assert_array_equal(session.run(made), [a, b])
    with utils.DeterministicRandomTestTool(seed=1).scope():
        assert not np.array_equal(tf.random.normal([3]), a)


def test_a_number_of_a_random_operation_is_used_once() -> None:
    tool = utils.DeterministicRandomTestTool(mode="num_random_ops")
    with tool.scope():
        first = tf.random.normal([3])
        tool.operation_seed = 5
        tf.random.normal([3])
        assert tool.operation_seed == 6
        tool.operation_seed = 0
        with pytest.raises(ValueError, match="operation seed 0 again"):
            tf.random.normal([3])
    with utils.DeterministicRandomTestTool(mode="num_random_ops").scope():
        np.testing.assert_array_equal(tf.random.normal([3]), first)
    with pytest.raises(ValueError, match="'constant'"):
        _ = utils.DeterministicRandomTestTool().operation_seed
    with pytest.raises(ValueError, match="Mode arg must be"):
        utils.DeterministicRandomTestTool(mode="other")
