"""Convolutions at the root of `tf`, for which TensorFlow has no kernel on a CPU: they are the gradients of `tf.nn.conv2d`."""

import numpy as np
import pytest

import stratagem as tf


@pytest.mark.parametrize(
    ("padding", "explicit"),
    [("SAME", []), ("EXPLICIT", [0, 0, 1, 0, 0, 1, 0, 0])],
)
def test_gradients_of_conv2d_are_functions(padding: str, explicit: list[int]) -> None:
    x, kernel = tf.random.normal((2, 5, 4, 2), seed=1), tf.random.normal((3, 2, 2, 3), seed=2)
    pairs = [explicit[i : i + 2] for i in range(0, len(explicit), 2)] or padding
    with tf.GradientTape() as tape:
        tape.watch([x, kernel])
        y = tf.nn.conv2d(x, kernel, 2, pairs)
    upstream = tf.ones(y.shape) * 0.5
    by_x, by_kernel = tape.gradient(y, [x, kernel], upstream)
    more = {"strides": [1, 2, 2, 1], "padding": padding, "explicit_paddings": explicit}
    np.testing.assert_allclose(
        tf.conv2d_backprop_input_v2(tf.zeros(x.shape), kernel, upstream, **more), by_x, 1e-5, 1e-5
    )
    found = tf.conv2d_backprop_filter_v2(x, tf.zeros(kernel.shape), upstream, **more)
    np.testing.assert_allclose(found, by_kernel, 1e-5, 1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.conv2d_backprop_filter_v2(x, kernel, upstream[:, 1:], **more)


def test_groups_of_channels_are_convolved_apart() -> None:
    x, kernel = tf.random.normal((1, 3, 3, 4), seed=1), tf.random.normal((2, 2, 2, 6), seed=2)
    found = tf.conv(x, kernel, [1, 1, 1, 1], "VALID", groups=2)
    halves = [tf.nn.conv2d(x[..., 2 * i : 2 * i + 2], kernel[..., 3 * i : 3 * i + 3], 1, "VALID") for i in range(2)]
    np.testing.assert_allclose(found, tf.concat(halves, -1), 1e-5, 1e-5)


def test_channels_may_come_first() -> None:
    x, kernel = tf.random.normal((1, 4, 3, 2), seed=1), tf.random.normal((2, 2, 2, 3), seed=2)
    first = tf.transpose(x, (0, 3, 1, 2))
    for found, wanted in [
        (tf.nn.conv2d(first, kernel, 1, "SAME", "NCHW"), tf.nn.conv2d(x, kernel, 1, "SAME")),
        (tf.nn.max_pool2d(first, 2, 1, "SAME", "NCHW"), tf.nn.max_pool2d(x, 2, 1, "SAME")),
        (tf.nn.avg_pool2d(first, 2, 1, "SAME", "NCHW"), tf.nn.avg_pool2d(x, 2, 1, "SAME")),
        (tf.nn.space_to_depth(first[..., :2], 2, "NCHW"), tf.nn.space_to_depth(x[:, :, :2], 2)),
    ]:
        np.testing.assert_allclose(tf.transpose(found, (0, 2, 3, 1)), wanted, 1e-5, 1e-5)
