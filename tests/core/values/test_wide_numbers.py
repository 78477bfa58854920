"""64-bit tensors and variables computed with numbers of Python and NumPy have the numbers that NumPy has."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

X = np.array([[0.3, -1.7, 2.5], [1e-3, 7.0, -0.4]])
WIDE = 2**40 + 1

# What is computed, of a tensor or variable, and of the array with NumPy.
EXPRESSIONS: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    text: (eval(f"lambda x: {text}", {"np": np}), eval(f"lambda x: {text}", {"np": np}))
    for text in (
        *("x * 0.1", "0.1 * x", "x + 0.1", "0.1 - x", "x / 0.3", "0.3 / x", "x // 0.3", "x % 0.7", "0.7 % x"),
        *(
            "np.float64(0.1) * x",
            "x * np.float64(0.1)",
            "x - np.array([0.1, 0.2, 0.3])",
            "np.array([0.1, 0.2, 0.3]) + x",
        ),
        *("x > 0.3", "0.3 >= x", "x == 0.3", "np.float64(0.3) == x"),
    )
} | {
    "keras.ops.multiply": (lambda x: keras.ops.multiply(x, 0.1), lambda x: x * 0.1),
    "keras.ops.maximum": (lambda x: keras.ops.maximum(0.1, x), lambda x: np.maximum(0.1, x)),
    "keras.ops.where": (lambda x: keras.ops.where(x > 0, x * 1, 0.1), lambda x: np.where(x > 0, x, 0.1)),
    "keras.ops.clip": (lambda x: keras.ops.clip(x, -0.1, 0.7), lambda x: np.clip(x, -0.1, 0.7)),
    "keras.ops.power": (lambda x: keras.ops.power(0.1, x), lambda x: np.power(0.1, x)),
    "elu": (lambda x: keras.activations.elu(x, 0.3), lambda x: np.where(x > 0, x, 0.3 * np.expm1(x))),
    "leaky_relu": (lambda x: keras.activations.leaky_relu(x), lambda x: np.where(x > 0, x, 0.2 * x)),
    "selu": (
        keras.activations.selu,
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "compiled"])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable], ids=["tensor", "variable"])
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_numbers_are_not_rounded(text: str, make: Any, run: Any) -> None:
    ours, numpys = EXPRESSIONS[text]
    x = make(X, dtype=tf.float64)
    found = run(lambda: ours(x))()
    assert tf.is_tensor(found)
    expected = numpys(X)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=4e-16, atol=4e-16)


def test_gelu_is_tensorflows() -> None:
    """The numbers are those of TensorFlow 2.15.1, which rounds the square root of 2 to 32 bits."""
    expected = [0.1853734272441315, -0.1380835994804219, 2.48447583856046]
    np.testing.assert_allclose(tf.nn.gelu(tf.constant([0.3, -1.2, 2.5], tf.float64)), expected, rtol=3e-15)


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "compiled"])
def test_wide_integers_and_complex_numbers_keep_their_bits(run: Any) -> None:
    x, z = tf.constant([1, 2], tf.int64), tf.constant([0.5 - 1j], tf.complex128)
    found = run(lambda: (x + WIDE, WIDE - x, x * np.int64(WIDE), x**2, z * 0.1, z + np.complex128(0.1j)))()
    assert [np.asarray(v).tolist() for v in found] == [
        *([1 + WIDE, 2 + WIDE], [WIDE - 1, WIDE - 2], [WIDE, 2 * WIDE], [1, 4]),
        *([(0.5 - 1j) * 0.1], [(0.5 - 1j) + 0.1j]),
    ]
    assert [v.dtype for v in found] == [tf.int64] * 4 + [tf.complex128] * 2


def test_other_types_stay_as_they_are() -> None:
    assert (tf.constant([1], tf.int64) * 0.5).dtype == tf.float32
    assert (tf.constant([1.0]) * 0.1).dtype == tf.float32
    assert (tf.constant([1.0]) * np.float64(0.1)).dtype == tf.float32
    assert keras.ops.where(tf.constant([1], tf.int64) > 0, 1, 2).dtype == tf.int32


def test_numpy_leaves_arithmetic_to_variables() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(np.float32(3.0) * v + np.ones(2, np.float32) / v)
    np.testing.assert_allclose(tape.gradient(y, v), [2.0, 2.75])
