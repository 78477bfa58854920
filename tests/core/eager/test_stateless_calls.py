"""What `stateless_call` is passed for a variable is a tensor: gradients flow through it, and not to the variable itself."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

PASSED: dict[str, tuple[Callable[[Any, Any], Any], float | None, float | None]] = {
    "computed from the variable": (lambda w, _: w * 3.0, 3.0, None),
    "the variable's value": (lambda w, _: tf.identity(w), 1.0, None),
    "computed from another variable": (lambda _, other: other * 5.0, None, 5.0),
    "computed from both": (lambda w, other: w * other, 2.0, 1.0),
    "a constant": (lambda *_: tf.ones((2, 1)), None, None),
}


def layer() -> Any:
    made = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    made.build((None, 2))
    return made


def model() -> Any:
    return keras.Sequential([keras.Input((2,)), layer()])


@pytest.mark.sampled
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("make", [layer, model])
@pytest.mark.parametrize("passed", PASSED)
def test_gradients_flow_through_what_is_passed(passed: str, make: Callable[[], Any], compiled: bool) -> None:
    value, by_weight, by_other = PASSED[passed]
    called = make()
    weight, other = called.trainable_variables[0], tf.Variable(np.full((2, 1), 2.0, np.float32))

    def gradients() -> Any:
        with tf.GradientTape() as tape:
            result, _ = called.stateless_call([value(weight, other)], [], tf.ones((1, 2)))
        return tape.gradient(result, [weight, other])

    for found, expected in zip(
        (tf.function(gradients) if compiled else gradients)(), (by_weight, by_other), strict=True
    ):
        if expected is None:
            assert found is None
        else:
            np.testing.assert_allclose(found, np.full((2, 1), expected))
