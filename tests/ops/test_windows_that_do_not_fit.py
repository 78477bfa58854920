"""Windows that are larger than their input are errors, as in TensorFlow, and give no empty tensors that a model trains on."""

from collections.abc import Callable
from typing import Any

import pytest

import stratagem as tf

X, SIGNAL, VOLUME = tf.ones((1, 5, 5, 3)), tf.ones((1, 5, 3)), tf.ones((1, 5, 5, 5, 3))
LAYERS = tf.keras.layers

CASES: dict[str, Callable[[], Any]] = {
    "AveragePooling1D": lambda: LAYERS.AveragePooling1D(8)(SIGNAL),
    "AveragePooling2D": lambda: LAYERS.AveragePooling2D(8)(X),
    "AveragePooling2D, channels first": lambda: LAYERS.AveragePooling2D(8, data_format="channels_first")(X),
    "AveragePooling3D": lambda: LAYERS.AveragePooling3D(8)(VOLUME),
    "MaxPooling1D": lambda: LAYERS.MaxPooling1D(8)(SIGNAL),
    "MaxPooling2D": lambda: LAYERS.MaxPooling2D((2, 8))(X),
    "MaxPooling3D": lambda: LAYERS.MaxPooling3D(8)(VOLUME),
    "Conv2D": lambda: LAYERS.Conv2D(3, 8)(X),
    "avg_pool2d": lambda: tf.nn.avg_pool2d(X, 8, 1, "VALID"),
    "max_pool2d": lambda: tf.nn.max_pool2d(X, 8, 1, "VALID"),
    "max_pool2d, padding": lambda: tf.nn.max_pool2d(X, 8, 1, [[0, 0], [1, 0], [0, 0], [0, 0]]),
    "max_pool3d": lambda: tf.nn.max_pool3d(VOLUME, 8, 1, "VALID"),
    "max_pool_with_argmax": lambda: tf.nn.max_pool_with_argmax(X, 8, 1, "VALID"),
    "pool": lambda: tf.nn.pool(X, [3, 3], "MAX", padding="VALID", dilations=[4, 4]),
    "conv2d": lambda: tf.nn.conv2d(X, tf.ones((8, 8, 3, 2)), 1, "VALID"),
    "conv2d, dilations": lambda: tf.nn.conv2d(X, tf.ones((3, 3, 3, 2)), 1, "VALID", dilations=4),
    "depthwise_conv2d": lambda: tf.nn.depthwise_conv2d(X, tf.ones((8, 8, 3, 1)), [1, 1, 1, 1], "VALID"),
    "dilation2d": lambda: tf.nn.dilation2d(X, tf.ones((8, 8, 3)), [1] * 4, "VALID", "NHWC", [1] * 4),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_windows_larger_than_their_input_are_an_error(name: str, compiled: bool) -> None:
    run = tf.function(CASES[name]) if compiled else CASES[name]
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=r"do not fit an input|zero or negative"):
        run()


def test_windows_that_padding_makes_fit_are_none() -> None:
    assert tuple(tf.nn.max_pool2d(X, 8, 1, "SAME").shape) == (1, 5, 5, 3)
    assert tuple(LAYERS.AveragePooling2D(8, padding="same")(X).shape) == (1, 1, 1, 3)
    assert tuple(LAYERS.MaxPooling2D(5)(X).shape) == (1, 1, 1, 3)
