"""`tf.compat.v1`: what it has, with TensorFlow's parameters; what it has not says what to use."""

import importlib
import inspect
import logging
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from scripts import tensorflow_api
from stratagem._tf1.graph import ModelState
from stratagem.compat.v1 import layers
from tests.tf1.graph.names import NAMES


def named(name: str) -> Any:
    value: Any = tf1
    for part in name.split("."):
        value = getattr(value, part)
    return value


def test_all_ways_to_import_it_give_one_module() -> None:
    assert tf.compat.v1 is tf1
    assert tf1.layers is layers is importlib.import_module("stratagem.compat.v1.layers")


@pytest.mark.parametrize("name", [name for name in NAMES if f"compat.v1.{name}" in tensorflow_api.facts()])
def test_parameters_begin_with_tensorflows(name: str) -> None:
    arguments = tensorflow_api.facts()[f"compat.v1.{name}"].get("args") or []
    theirs = [each for each, kind, _ in arguments if not kind.startswith("VAR_") and each != "self"]
    assert list(inspect.signature(named(name)).parameters)[: len(theirs)] == theirs


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Module", "Module"),
        ("data.Dataset", "data.Dataset"),
        ("distribute", "distribute"),
        ("float32", "float32"),
        ("function", "function"),
        ("keras", "keras"),
        ("GradientTape", "GradientTape"),
        ("train.Checkpoint", "train.Checkpoint"),
        ("train.Example", "train.Example"),
        ("FixedLenFeature", "io.FixedLenFeature"),
        ("parse_example", "io.parse_example"),
        ("decode_base64", "io.decode_base64"),
        ("matching_files", "io.matching_files"),
    ],
)
def test_what_means_the_same_is_the_same(old: str, new: str) -> None:
    value: Any = tf
    for part in new.split("."):
        value = getattr(value, part)
    assert inspect.unwrap(named(old)) is inspect.unwrap(value)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("sparse_placeholder", "arguments of a model_fn"),
        ("train.Supervisor", "MonitoredTrainingSession"),
        ("train.SyncReplicasOptimizer", "MultiWorkerMirroredStrategy"),
        ("image.sample_distorted_bounding_box", "tf.image.sample_distorted_bounding_box"),
        ("QueueBase", "tf.data.Dataset"),
    ],
)
def test_what_is_missing_says_what_to_use(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=rf"tf.compat.v1.{name} is not provided; .*{instead}"):
        named(name)


@pytest.mark.parametrize("name", ["no_such_name", "layers.no_such_layer", "losses.no_such_loss"])
def test_what_tensorflow_does_not_have_either(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name.rpartition('.')[2]}': TensorFlow has no such name"):
        named(name)


@pytest.mark.parametrize("name", ["get_variable", "layers.dense", "train.get_or_create_global_step"])
def test_what_builds_a_graph_says_where_it_works(name: str) -> None:
    arguments = {"get_variable": ("v", [1]), "layers.dense": (tf.ones([1, 2]), 1)}.get(name, ())
    with pytest.raises(RuntimeError, match="inside the model_fn of an Estimator"):
        named(name)(*arguments)


def test_outside_of_a_model_fn_variables_are_those_of_tensorflow_2() -> None:
    variable = tf1.Variable(3.0, name="v")
    variable.assign_add(1.0)
    assert type(variable) is tf.Variable
    assert float(variable.numpy()) == 4.0


def test_switches_are_accepted_and_say_so_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "stratagem"):
        tf1.disable_v2_tensorshape()
        tf1.disable_v2_tensorshape()
    assert [r.getMessage().partition(":")[0] for r in caplog.records] == ["disable_v2_tensorshape"]
    assert tf1.executing_eagerly()
    with ModelState().building("eval"):
        assert not tf1.executing_eagerly()


def test_the_log_is_pythons(caplog: pytest.LogCaptureFixture) -> None:
    before = tf1.logging.get_verbosity()
    try:
        tf1.logging.set_verbosity(tf1.logging.WARN)
        tf1.logging.info("not %s", "shown")
        tf1.logging.warn("shown: %d", 1)
        for _ in range(3):
            tf1.logging.log_first_n(tf1.logging.ERROR, "twice", 2)
        tf1.logging.log_if(tf1.logging.ERROR, "never", False)
    finally:
        tf1.logging.set_verbosity(before)
    assert [r.getMessage() for r in caplog.records] == ["shown: 1", "twice", "twice"]
    assert tf1.logging.get_verbosity() == before == logging.INFO


def test_files_have_their_old_names(tmp_path: Path) -> None:
    with tf1.gfile.Open(str(tmp_path / "a"), "w") as file:
        file.write("text")
    assert tf1.gfile.Exists(str(tmp_path / "a"))
    assert tf1.gfile.Glob(str(tmp_path / "*")) == [str(tmp_path / "a")]


def test_the_parts_of_the_elements_of_a_dataset() -> None:
    """The answers are TensorFlow 2.15.1's."""
    data = tf.compat.v1.data
    dataset = tf.data.Dataset.from_tensor_slices({"a": ([1, 2], ["x", "y"]), "b": [1.0, 2.0]}).batch(2)
    for given in (dataset, iter(dataset)):
        assert data.get_output_types(given) == {"a": (tf.int32, tf.string), "b": tf.float32}
        assert data.get_output_shapes(given) == {"a": (tf.TensorShape([None]),) * 2, "b": tf.TensorShape([None])}
        assert data.get_output_classes(given) == {"a": (tf.Tensor, tf.Tensor), "b": tf.Tensor}
    windows = tf.data.Dataset.range(4).window(2)
    assert data.get_output_types(windows) == windows.element_spec
    assert data.experimental.map_and_batch is tf.data.experimental.map_and_batch
