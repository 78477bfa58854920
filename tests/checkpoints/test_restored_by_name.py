"""Checkpoints of variables by name restore objects by the names of their variables."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf

# What an Estimator saves with.
from stratagem._checkpoints import CheckpointManager, NamedCheckpoint
from tests.checkpoints.record_tensorflow import RECORDED

ESTIMATOR = str(RECORDED / "estimator" / "model.ckpt-3")


def saved(name: str) -> np.ndarray:
    return np.asarray(tf.train.load_variable(ESTIMATOR, name))


def test_variables_take_the_values_of_their_names() -> None:
    kernel = tf.Variable(np.zeros((3, 2), np.float32), name="hidden/kernel")
    step = tf.Variable(0, dtype=tf.int64, name="global_step")
    objects = tf.train.Checkpoint(anything=kernel, other=[step])
    status = objects.restore(ESTIMATOR)
    np.testing.assert_array_equal(kernel.numpy(), saved("hidden/kernel"))
    assert step.numpy() == 3
    # What the checkpoint has besides is of no interest, and save_counter is not asked for, as in TensorFlow.
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match().expect_partial()


def test_layers_take_values_when_they_are_built() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="hidden")])
    status = tf.train.Checkpoint(model=model).read(ESTIMATOR)
    model.build((None, 3))
    np.testing.assert_array_equal(np.asarray(model.weights[0]), saved("hidden/kernel"))
    np.testing.assert_array_equal(np.asarray(model.weights[1]), saved("hidden/bias"))
    status.assert_consumed()


def test_a_variable_without_a_value_is_named() -> None:
    objects = tf.train.Checkpoint(mine=tf.Variable(1.0, name="mine"), bias=tf.Variable([0.0, 0.0], name="hidden/bias"))
    status = objects.restore(ESTIMATOR)
    np.testing.assert_array_equal(objects.bias.numpy(), saved("hidden/bias"))
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match=r"1 variables have no value .* by name: mine"):
            check()


def test_another_shape_is_refused_and_nothing_assigned() -> None:
    bias = tf.Variable([0.0, 0.0], name="hidden/bias")
    with pytest.raises(ValueError, match=r"hidden/kernel .*: shape"):
        tf.train.Checkpoint(a=bias, b=tf.Variable([1.0], name="hidden/kernel")).restore(ESTIMATOR)
    assert bias.numpy().tolist() == [0.0, 0.0]


def test_an_estimators_own_checkpoint_is_restored_by_name(tmp_path: Path) -> None:
    CheckpointManager(NamedCheckpoint(lambda: {"a/b": tf.Variable([4.0])}), tmp_path, 1).save()
    variable = tf.Variable([0.0], name="a/b")
    tf.train.Checkpoint(v=variable).restore(tf.train.latest_checkpoint(tmp_path)).assert_consumed()
    assert variable.numpy().tolist() == [4.0]
