"""Whole models that TensorFlow 2.15.1 saved, `.keras` and HDF5, are read here and go on as they do there."""

import functools
import inspect
import json
import logging
import operator
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._ops import symbolic_functions

# Private: of single classes and functions, without models.
from stratagem._training.saving.keras_two._configurations import converted, converted_file

# Private: likewise.
from stratagem._training.saving.keras_two._functions import function_named
from tests.training.keras_two_classes import NOT_READ
from tests.training.keras_two_models import CASES, RECORDED, TOLERANCE, inputs, results, step

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

ANSWERS = json.loads((RECORDED / "answers.json").read_text())
CLASSES = json.loads((RECORDED / "classes.json").read_text())


# Arguments that Keras 3 takes and forgets, and values that it writes in other words.
ACCEPTED = {"implementation", "unroll", "input_length", "gain", "activity_regularizer", "axis", "delta"}
CHANGED = {("layers.RandomContrast", "factor"): [0, 0.1], ("layers.RandomRotation", "factor"): [-0.1, 0.1]}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keras_two")
    with zipfile.ZipFile(RECORDED / "files.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.sampled
@pytest.mark.parametrize("ending", ["keras", "h5"])
@pytest.mark.parametrize("name", CASES)
def test_a_model_answers_and_trains_on_as_in_tensorflow(name: str, ending: str, files: Path) -> None:
    model = tf.keras.models.load_model(files / f"{name.replace(' ', '_')}.{ending}")
    given = inputs(CASES[name].shapes)
    for found, wanted in zip(results(model, given), ANSWERS[name]["answers"], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)
    step(model, given)
    for found, wanted in zip(results(model, given), ANSWERS[name][ending], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(RECORDED / "earlier.zip") as archive:
        archive.extract("graph.keras", tmp_path)
    wanted = json.loads((RECORDED / "earlier.json").read_text())["graph"]["answers"]
    given = inputs(CASES["graph"].shapes)
    model = tf.keras.models.load_model(tmp_path / "graph.keras")
    again = tf.keras.models.clone_model(model)
    again.load_weights(tmp_path / "graph.keras")
    for each in (model, again):
        for found, values in zip(results(each, given), wanted, strict=True):
            np.testing.assert_allclose(found, values, rtol=TOLERANCE, atol=TOLERANCE)


def test_weights_of_a_whole_model_are_read_with_its_optimizer(files: Path) -> None:
    given = inputs(CASES["adamw"].shapes)
    model = CASES["adamw"].make(tf)
    model.compile(CASES["adamw"].optimizer(tf), "mse")
    model.optimizer.build(model.trainable_variables)
    model.load_weights(files / "adamw.keras")
    step(model, given)
    np.testing.assert_allclose(results(model, given)[0], ANSWERS["adamw"]["keras"][0], rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in NOT_READ])
def test_every_class_of_keras_two_has_the_same_configuration_here(name: str) -> None:
    given = CLASSES[name]
    key = name.rpartition(".")[0].removesuffix("s").replace("optimizers.schedule", "learning_rate")
    found = tf.keras.saving.deserialize_keras_object(converted(given, set(), key)).get_config()
    wanted = converted(given, set(), key)["config"]
    assert wanted.keys() <= found.keys() | ACCEPTED
    plain = {key: value for key, value in wanted.items() if key in found and not isinstance(value, dict)}
    for argument, value in plain.items():
        if argument not in ("dtype", "name", "cells") and value is not None:
            own = json.loads(json.dumps(found[argument]))
            assert own in (value, CHANGED.get((name, argument))), argument


@pytest.mark.parametrize("name", NOT_READ)
def test_what_keras_three_has_not_is_named(name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=name.rpartition(".")[2]):
        tf.keras.saving.deserialize_keras_object(converted(CLASSES[name], set()))


def test_no_state_of_an_optimizer_is_told(files: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stratagem"):
        tf.keras.models.load_model(files / "legacy_adam.keras")
    assert "legacy_adam.keras" in caplog.text
    assert "starts anew: the file has no values" in caplog.text


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_a_model_is_read_without_being_compiled(ending: str, files: Path) -> None:
    assert not tf.keras.models.load_model(files / f"sgd.{ending}", compile=False).compiled


def test_a_configuration_that_is_none_is_a_damaged_file(files: Path, tmp_path: Path) -> None:
    """Whatever is left out of it or is something else, in 200 ways; a few are models all the same."""
    draw = random.Random(5)
    with zipfile.ZipFile(files / "graph.keras") as archive:
        config, parts = (
            archive.read("config.json"),
            {n: archive.read(n) for n in archive.namelist() if n != "config.json"},
        )
    path, refused = tmp_path / "damaged.keras", 0
    for _ in range(200):
        changed = json.loads(config)
        *outer, last = draw.choice(places(changed))
        holder = functools.reduce(operator.getitem, outer, changed)
        holder[last] = draw.choice(
            [None, [], "x", -1, ["a", 0, 0], {"class_name": "Dense"}, {"class_name": 3, "config": {}}]
        )
        refused += not is_converted(changed)
    assert refused > 10
    parts["config.json"] = b'{"class_name": "Functional", "config": {"layers": [], "input_layers": 0}}'
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(tf.errors.DataLossError, match=r"damaged\.keras' is damaged: it describes no model"):
        tf.keras.models.load_model(path)


def is_converted(config: Any) -> bool:
    """Whether a configuration is one; no error but those that say so."""
    try:
        converted_file(config, set(), "the file")
    except (tf.errors.DataLossError, tf.errors.UnimplementedError):
        return False
    return True


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values within a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, each in inner for way in ((*path, key), *places(each, (*path, key)))]


def test_code_in_a_file_is_refused_in_safe_mode() -> None:
    config = {"name": "code", "function": ["4wEAAAA", None, None], "function_type": "lambda", "module": "__main__"}
    layer = converted({"class_name": "Lambda", "module": "keras.layers", "config": config}, set())
    with pytest.raises(ValueError, match="risk of arbitrary code execution"):
        tf.keras.saving.deserialize_keras_object(layer)


@pytest.mark.parametrize(
    ("kind", "argument", "value"), [("LSTM", "time_major", True), ("Conv2DTranspose", "groups", 2)]
)
def test_an_argument_that_keras_three_has_not_is_named(kind: str, argument: str, value: object) -> None:
    given = {"class_name": kind, "module": "keras.layers", "config": {"name": "mine", argument: value}}
    with pytest.raises(tf.errors.UnimplementedError, match=f"{kind} 'mine' of the model has {argument}={value}"):
        converted(given, set())


@pytest.mark.parametrize(
    "function", ["io.write_file", "py_function", "__operators__.of", "random.normal", "image.decode_jpeg"]
)
def test_what_is_no_function_of_tensors_is_refused(function: str) -> None:
    given = {"class_name": "TFOpLambda", "module": "keras.layers", "config": {"name": "mine", "function": function}}
    with pytest.raises(tf.errors.UnimplementedError, match=f"calls tf.{function} as a layer"):
        converted(given, set())


def test_functions_are_found_by_the_names_that_programs_use() -> None:
    """No function of a model is another one that has the same last name."""
    compared = 0
    for space in ("", "math", "nn", "linalg", "image", "signal", "bitwise", "dtypes", "quantization", "strings"):
        module = getattr(tf, space) if space else tf
        for name in dir(module):
            function = getattr(module, name, None)
            registered = {"__wrapped__"} & vars(function).keys() if inspect.isfunction(function) else set()
            if not registered:
                continue
            try:
                own = function_named(f"{space}.{name}" if space else name)
            except tf.errors.UnimplementedError:
                continue
            compared += 1
            assert symbolic_functions()[own] in unwrapped(function), f"{space}.{name}"
    assert compared > 300


def unwrapped(function: Any) -> list[Any]:
    """A function and those that it wraps."""
    return [function, *(unwrapped(function.__wrapped__) if hasattr(function, "__wrapped__") else [])]
