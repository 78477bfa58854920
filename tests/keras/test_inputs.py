"""Inputs that a program does not name, with the names and values of TensorFlow 2.15.1."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras.facade import mirrored

layers = tf.keras.layers
ONES = np.ones((8, 4), "float32")
LABELS = np.ones((8, 1), "float32")


@pytest.fixture(autouse=True)
def numbers_begin_anew() -> None:
    tf.keras.backend.clear_session()


def fitted(model: Any, data: Any) -> float:
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    return float(model.fit(data, LABELS, verbose=0, shuffle=False).history["loss"][0])


@pytest.mark.parametrize("replicas", [0, 2])
def test_inputs_without_names_have_tensorflows(replicas: int) -> None:
    with (mirrored(replicas) if replicas else tf.distribute.get_strategy()).scope():
        first, second = tf.keras.Input((4,)), tf.keras.Input((2,))
        model = tf.keras.Model([first, second], layers.Dense(1)(layers.concatenate([first, second])))
    assert (first.name, second.name, model.input_names) == ("input_1", "input_2", ["input_1", "input_2"])
    named = fitted(model, {"input_1": ONES, "input_2": ONES[:, :2]})
    assert named == pytest.approx(fitted(model, [ONES, ONES[:, :2]]), rel=1e-6)
    with pytest.raises(ValueError, match="input_2"):
        fitted(model, {"input_1": ONES})


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["input_shape", "batch_input_shape", "input_dim", "called", "build"])
def test_a_sequential_names_its_input_by_its_first_layer(how: str) -> None:
    shapes = {"input_shape": (4,), "batch_input_shape": (None, 4), "input_dim": 4}
    given = {how: shapes[how]} if how in shapes else {}
    model = tf.keras.Sequential([layers.Dense(3, **given), tf.keras.Sequential([layers.Dense(1)])])
    if how == "called":
        model(ONES)
    if how == "build":
        model.build((None, 4))
    assert model.input_names == ["dense_input"]
    assert fitted(model, {"dense_input": ONES}) == pytest.approx(fitted(model, ONES), rel=1e-6)


def test_names_that_are_given_stay_and_go_into_files(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((4,), name="pixels"), layers.Dense(1)])
    assert model.input_names == ["pixels"]
    assert tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(1)]).input_names == ["input_1"]
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(4,))])
    model.save(tmp_path / "model.keras")
    tf.keras.backend.clear_session()
    layers.Dense(1)
    assert tf.keras.models.load_model(tmp_path / "model.keras").input_names == model.input_names == ["dense_2_input"]


def test_the_signature_of_an_export_has_these_names(tmp_path: Path) -> None:
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(4,))])
    tf.saved_model.save(model, tmp_path)
    served = tf.saved_model.load(tmp_path).signatures["serving_default"]
    assert list(served.structured_input_signature[1]) == ["dense_input"]
    assert served(dense_input=tf.constant(ONES))["dense"].shape == (8, 1)


def test_a_model_without_inputs_says_so_and_may_have_its_own() -> None:
    class Own(tf.keras.Model):  # type: ignore[misc]
        def __init__(self, names: Any) -> None:
            super().__init__()
            if names is not None:
                self.input_names = names

    with pytest.raises(AttributeError, match="has no inputs before it is built"):
        _ = tf.keras.Sequential([layers.Dense(1)]).input_names
    with pytest.raises(AttributeError, match=r"Own has no `input_names`"):
        _ = Own(None).input_names
    assert not hasattr(Own(None), "input_names")
    assert Own(["a"]).input_names == ["a"]
