"""Checkpoints converted between the formats without their objects are those that the objects write."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# What `stratagem checkpoint convert` and `diff` call.
from stratagem._checkpoints import CheckpointFormat, compared, convert
from tests.checkpoints.record_tensorflow import RECORDED

TENSORFLOW = tf.train.CheckpointOptions(format="tensorflow")
layers, optimizers = tf.keras.layers, tf.keras.optimizers

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "adam": lambda: optimizers.Adam(amsgrad=True),
    "nadam": optimizers.Nadam,
    "rmsprop": lambda: optimizers.RMSprop(momentum=0.9, centered=True),
    "sgd": lambda: optimizers.SGD(momentum=0.9),
    "lion": optimizers.Lion,
    "ftrl": optimizers.Ftrl,
    "adadelta": optimizers.Adadelta,
    "averages": lambda: optimizers.Adam(use_ema=True),
    "adafactor": optimizers.Adafactor,
}


def trained(optimizer: Any) -> Any:
    """Objects with values that are all different, as after training."""
    inner = tf.keras.Sequential([tf.keras.Input((4, 4, 2)), layers.DepthwiseConv2D(2), layers.BatchNormalization()])
    model = tf.keras.Sequential([inner, layers.Dropout(0.5), layers.Flatten(), layers.Dense(2)])
    optimizer.build(model.trainable_variables)
    random = np.random.default_rng(0)
    for variable in [*model.weights, *optimizer.variables[1:]]:
        variable.assign(random.random(variable.shape))
    optimizer.iterations.assign(5)
    return tf.train.Checkpoint(model=model, optimizer=optimizer, numbers=[tf.Variable(1), tf.Variable([2.0])])


def numbered(path: str) -> list[Any]:
    """The variables of an optimizer that have TensorFlow's numbers, and their shapes."""
    return [(name, shape) for name, shape in tf.train.list_variables(path) if "/_variables/" in name]


@pytest.mark.sampled
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_what_is_converted_is_what_the_objects_write(name: str, tmp_path: Path) -> None:
    objects = trained(OPTIMIZERS[name]())
    own, written = objects.write(tmp_path / "own"), objects.write(tmp_path / "written", TENSORFLOW)
    done = convert(own, tmp_path / "converted", CheckpointFormat.TENSORFLOW)
    assert done.left_out == ["model/layers/1/seed_generator/state"]
    assert numbered(done.target) == numbered(written)
    for pair in ((written, done.target), (own, written)):
        found = compared(*pair)
        assert found.differences == []
        assert found.equal == done.arrays
    back = convert(written, tmp_path / "back", CheckpointFormat.OWN)
    assert compared(back.target, written).differences == []
    again = trained(OPTIMIZERS[name]())
    for variable in again.optimizer.variables[1:]:
        variable.assign(np.zeros(variable.shape))
    again.restore(back.target).assert_consumed()
    for restored, variable in zip(again.optimizer.variables, objects.optimizer.variables, strict=True):
        np.testing.assert_array_equal(np.asarray(restored.value), np.asarray(variable.value))


def test_slots_are_in_the_order_in_which_keras_2_makes_them(tmp_path: Path) -> None:
    """RMSprop makes all velocities before the first momentum; `_variables` of a checkpoint of TensorFlow's have that order."""
    optimizer, variables = OPTIMIZERS["rmsprop"](), [tf.Variable([1.0]), tf.Variable([1.0, 2.0])]
    optimizer.build(variables)
    path = tf.train.Checkpoint(optimizer=optimizer).write(tmp_path / "ckpt", TENSORFLOW)
    shapes = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    order = [shapes[f"optimizer/_variables/{i}/.ATTRIBUTES/VARIABLE_VALUE"] for i in range(1, 7)]
    assert order == [[1], [2]] * 3


@pytest.mark.parametrize("name", ["adam-1", "legacy_adam-1", "objects-1", "subclassed-1", "recurrent-1", "partitioned"])
def test_a_checkpoint_of_tensorflow_comes_back_unchanged(name: str, tmp_path: Path) -> None:
    there = convert(RECORDED / name, tmp_path / "own", CheckpointFormat.OWN)
    back = convert(there.target, tmp_path / "again", CheckpointFormat.TENSORFLOW)
    found = compared(RECORDED / name, back.target)
    assert (found.differences, found.equal > 0) == ([], True)


def test_values_that_are_not_finite_are_noted(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([np.nan])).write(tmp_path / "ckpt", TENSORFLOW)
    convert(path, tmp_path / "own", CheckpointFormat.OWN)
    assert json.loads((tmp_path / "own" / "manifest.json").read_text())["non_finite"] == ["v"]
