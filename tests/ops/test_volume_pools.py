"""Max-pools of volumes: by windows of any size, in both layouts, and the gradients of ties."""

from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

X = np.random.default_rng(0).integers(-2, 3, size=(2, 4, 5, 6, 3)).astype(np.float32)  # with many ties


def expected(
    x: np.ndarray[Any, Any], size: tuple[int, ...], strides: tuple[int, ...], gradient: Any
) -> tuple[Any, Any]:
    """The pool without padding, and its gradient, which goes to every entry that equals the largest of its window."""
    counts = [(n - w) // s + 1 for n, w, s in zip(x.shape[1:4], size, strides, strict=True)]
    y, back = np.zeros((x.shape[0], *counts, x.shape[4]), x.dtype), np.zeros_like(x)
    for at in np.ndindex(*counts):
        window = tuple(slice(i * s, i * s + w) for i, s, w in zip(at, strides, size, strict=True))
        largest = x[:, *window].max((1, 2, 3))
        y[:, *at] = largest
        back[:, *window] += (x[:, *window] == largest[:, None, None, None]) * gradient[:, *at][:, None, None, None]
    return y, back


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("size", "strides"),
    [((2, 2, 2), (2, 2, 2)), ((1, 2, 2), (1, 2, 2)), ((3, 3, 3), (1, 1, 1)), ((2, 3, 1), (1, 2, 3))],
)
@pytest.mark.parametrize("way", ["tf.nn", "keras", "keras, channels first", "tf.function"])
def test_gradients_of_ties_are_tensorflows(size: tuple[int, ...], strides: tuple[int, ...], way: str) -> None:
    pools: dict[str, Any] = {
        "tf.nn": lambda x: tf.nn.max_pool3d(x, size, strides, "VALID"),
        "keras": keras.layers.MaxPooling3D(size, strides),
        "keras, channels first": lambda x: tf.transpose(
            keras.layers.MaxPooling3D(size, strides, data_format="channels_first")(tf.transpose(x, [0, 4, 1, 2, 3])),
            [0, 2, 3, 4, 1],
        ),
        "tf.function": tf.function(lambda x: tf.nn.max_pool3d(x, size, strides, "VALID")),
    }
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = pools[way](x)
        seeds = np.arange(np.prod(y.shape), dtype=np.float32).reshape(y.shape)
        total = tf.reduce_sum(y * seeds)
    value, gradient = expected(X, size, strides, seeds)
    np.testing.assert_array_equal(y, value)
    np.testing.assert_allclose(tape.gradient(total, x), gradient, rtol=1e-6)


def test_integers_and_nans_are_pooled() -> None:
    assert tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1], tf.int32), 2, 2, "VALID").numpy().tolist() == [[[[[1]]]]]
    volume = np.zeros((1, 2, 2, 2, 1), np.float32)
    volume[0, 1, 0, 1] = np.nan
    assert np.isnan(tf.nn.max_pool3d(volume, 2, 2, "VALID").numpy()).all()
