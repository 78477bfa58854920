"""Tensor functions on the symbolic tensors of functional models are layers, with TensorFlow's results (recorded)."""

import json
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.keras import keras2_programs
from tests.keras.facade import mirrored
from tests.thorough import thorough_but

RECORDED = json.loads((Path(__file__).parent / "recorded" / "keras2.json").read_text())["symbolic"]
QUICK = ("reduce_mean", "operators", "unstacked shape", "zeros by shape", "cast", "split and stack", "backend")


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(QUICK, keras2_programs.SYMBOLIC))
def test_a_function_of_a_symbolic_tensor_is_a_layer_that_is_saved(name: str) -> None:
    values, shape, dtype = RECORDED[name]
    found = keras2_programs.SYMBOLIC[name](tf)
    np.testing.assert_allclose(found[0], values, rtol=1e-6, atol=1e-6)
    assert found[1:] == [shape, dtype]


def model() -> Any:
    inputs = keras.Input((6,))
    hidden = keras.layers.Dense(3, kernel_initializer="ones")(tf.nn.l2_normalize(inputs, axis=-1))
    hidden = tf.concat([hidden, tf.square(hidden)], 1) * tf.constant(0.5)
    return keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))


def test_a_model_with_functions_trains_alike_on_replicas() -> None:
    x, y = np.arange(24, dtype="float32").reshape(4, 6) / 10, np.ones((4, 1), "float32")
    losses = []
    for strategy in (tf.distribute.get_strategy(), mirrored()):
        with strategy.scope():
            made = model()
            made.compile(keras.optimizers.SGD(0.001), "mse")  # small steps, which do not magnify the last bit of a sum
        losses.append(made.fit(x, y, epochs=3, verbose=0, shuffle=False).history["loss"])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)
    assert losses[0][-1] < losses[0][0]
    names = " ".join(layer.name for layer in made.layers)
    assert all(name in names for name in ("tf.l2_normalize", "tf.concat", "tf.square"))
    assert keras.models.clone_model(made).predict(x, verbose=0).shape == (4, 1)


def test_a_model_that_calls_an_unknown_function_says_so() -> None:
    config = model().get_config()
    layer = next(layer for layer in config["layers"] if layer["class_name"] == "TFOpLambda")
    layer["config"]["function"] = "of_the_future"
    with pytest.raises((ValueError, TypeError), match="no tensor function 'of_the_future'"):
        keras.Model.from_config(config)


def test_a_symbolic_tensor_still_has_no_value() -> None:
    with pytest.raises((ValueError, TypeError), match="KerasTensor"):
        np.asarray(keras.Input((2,)))
