"""`tf.train.ExponentialMovingAverage` keeps TensorFlow's averages, wherever `apply` is called."""

import json
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.training.average_programs import PROGRAMS

RECORDED = json.loads(Path(__file__).with_name("recorded").joinpath("averages.json").read_text())


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_averages_after_ten_updates_are_those_of_tensorflow(name: str) -> None:
    # XLA rounds once where TensorFlow, which runs operations one by one, rounds after the product and after the difference.
    spacing = np.finfo(np.float32).eps if name in ("compiled", "mirrored") else 0
    for ours, theirs in zip(PROGRAMS[name](tf), RECORDED[name], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=spacing, atol=0)


def test_an_average_has_a_name_and_a_value_once_it_is_applied() -> None:
    variable = tf.Variable([1.0, 2.0], name="v")
    averages = tf.train.ExponentialMovingAverage(0.9, name="Slow")
    assert averages.name == "Slow"
    assert averages.average(variable) is None
    assert averages.average_name(variable) == "v/Slow"
    assert averages.variables_to_restore() == {}
    assert averages.apply([variable]) is None
    average = averages.average(variable)
    assert average is not None
    assert average.name == "v/Slow:0"
    assert not average.trainable
    assert average.numpy().tolist() == [1.0, 2.0]
    assert averages.variables_to_restore() == averages.variables_to_restore([variable]) == {"v/Slow": variable}


def test_the_average_of_a_mirrored_variable_is_mirrored_wherever_it_is_made() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        variable = tf.Variable(2.0)
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([variable])  # outside of the scope
    assert strategy.extended.variable_created_in_scope(averages.average(variable))
    strategy.run(lambda: averages.apply([variable]))


def test_averages_are_saved_and_restored_as_variables(tmp_path: Path) -> None:
    variable = tf.Variable([1.0, 2.0])
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([variable])
    variable.assign([3.0, 4.0])
    averages.apply([variable])
    path = tf.train.Checkpoint(average=averages.average(variable)).write(str(tmp_path / "c"))
    tf.train.Checkpoint(average=variable).read(path).assert_consumed()
    assert variable.numpy().tolist() == [2.0, 3.0]


def test_the_average_of_a_layers_weight_has_its_name() -> None:
    layer = tf.keras.layers.Dense(1, name="last")
    layer.build((None, 2))
    averages = tf.compat.v1.train.ExponentialMovingAverage(0.5)
    averages.apply(layer.trainable_variables)
    for weight in layer.trainable_variables:
        average = averages.average(weight)
        assert average.name.endswith("/ExponentialMovingAverage:0")
        np.testing.assert_array_equal(average.numpy(), weight.numpy())


@pytest.mark.parametrize("wrong", [3.0, np.ones(2, np.float32), tf.constant(1.0), tf.Variable(1), None])
def test_averages_are_kept_of_variables_of_floats_only(wrong: object) -> None:
    averages = tf.train.ExponentialMovingAverage(0.5)
    with pytest.raises(TypeError):
        averages.apply([wrong])


def test_a_variable_that_the_step_makes_has_no_value_to_start_from() -> None:
    layer = tf.keras.layers.Dense(1)
    averages = tf.train.ExponentialMovingAverage(0.5)

    @tf.function
    def step() -> object:
        result = layer(tf.ones((1, 2)))
        averages.apply(layer.trainable_variables)
        return result

    with pytest.raises(ValueError, match="Call `apply` after the model is built"):
        step()
