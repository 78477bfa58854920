"""Loops and branches that run at once are compiled once for what they compute, and give what they give otherwise."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf

# Private: the programs that are known, of which there are so many at most.
from stratagem._private import _known_programs
from tests.core.step.observing import compilations

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def scanned(factor: float = 2.0, activation: Callable[[Any], Any] = jnp.tanh) -> Any:
    """A loop whose body is a new function in each call."""
    return jax.lax.scan(lambda c, x: (c + activation(x) * factor, c[0]), jnp.zeros(4), jnp.asarray(X))


def gradient(call: Callable[[Any], Any]) -> Any:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    return tape.gradient(y, x)


def lstm(layer: Any = []) -> Any:  # noqa: B006 - one layer for all calls
    layer[:] = layer or [tf.keras.layers.LSTM(3)]
    return layer[0](X[None])


BOXES = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [0.5, 0.5, 2, 2]], np.float32)
CALLS: dict[str, Callable[[], Any]] = {
    "scan": scanned,
    "fori_loop": lambda: jax.lax.fori_loop(0, 3, lambda i, c: c * 2 + i, jnp.ones(4)),
    "while_loop": lambda: tf.while_loop(lambda i, c: i < 3, lambda i, c: (i + 1, c * 2.0), [0, tf.ones(4)]),
    "cond": lambda: jax.lax.cond(jnp.asarray(True), lambda x: x * 2, lambda x: x - 1, jnp.asarray(X)),
    "a loop in a loop": lambda: jax.lax.scan(
        lambda c, x: (jax.lax.fori_loop(0, 2, lambda i, a: a + x, c), x), jnp.zeros(4), X
    ),
    "LSTM": lstm,
    "ctc_loss": lambda: tf.nn.ctc_loss([[1, 2]], X[:, None], [2], [3], logits_time_major=True, blank_index=0),
    "non_max_suppression": lambda: tf.image.non_max_suppression(BOXES, [0.5, 0.9, 0.3], 3),
    "draw_bounding_boxes": lambda: tf.image.draw_bounding_boxes(
        np.zeros((1, 6, 6, 3), np.float32), BOXES[None] / 2, None
    ),
    "a gradient": lambda: gradient(lambda x: jax.lax.scan(lambda c, r: (c * jnp.tanh(r), c.sum()), jnp.ones(4), x)[0]),
    "a gradient of a branch": lambda: gradient(lambda x: jax.lax.cond(x.sum() > -9, lambda: x * x, lambda: x)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_loop_is_compiled_once_however_often_its_function_is_made(name: str) -> None:
    first = CALLS[name]()
    CALLS[name]()
    with compilations() as compiled:
        again = CALLS[name]()
    assert compiled == []
    jax.tree.map(np.testing.assert_array_equal, again, first)


def test_loops_that_compute_something_else_have_programs_of_their_own() -> None:
    wanted = {
        (factor, name): sum(np.float32(factor) * np.asarray(getattr(jnp, name)(row)) for row in X)
        for factor in (2.0, 3.0)
        for name in ("tanh", "sin")
    }
    for (factor, name), total in wanted.items():
        np.testing.assert_allclose(scanned(factor, getattr(jnp, name))[0], total, rtol=1e-5, err_msg=f"{factor} {name}")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bfloat16"])
def test_types_and_constants_tell_programs_apart(dtype: str) -> None:
    for constant in (1, 2, 3):
        found, _ = jax.lax.scan(
            lambda c, _, constant=constant: (c + jnp.asarray(constant, dtype), None), jnp.zeros(2, dtype), None, 3
        )
        assert found.dtype == jnp.dtype(dtype)
        np.testing.assert_array_equal(np.asarray(found, np.float64), [3 * constant] * 2)


def test_arrays_that_a_loop_captures_are_those_of_its_call() -> None:
    for value in (1.0, 5.0):
        captured = np.full(4, value, np.float32)
        np.testing.assert_array_equal(
            jax.lax.fori_loop(0, 2, lambda i, c, captured=captured: c + captured, jnp.zeros(4)), 2 * captured
        )


def test_the_programs_that_are_known_are_bounded() -> None:
    for i in range(_known_programs._MOST + 5):
        _known_programs._known(jax.make_jaxpr(lambda x, i=i: x + i)(1.0))
    assert len(_known_programs._programs) <= _known_programs._MOST
