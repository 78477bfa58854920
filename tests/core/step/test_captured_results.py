"""What a program has returned is a tensor like any other in code that is compiled later, whatever made it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf


def two_replicas() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def reduced(value: Any) -> Any:
    strategy = two_replicas()
    return strategy.reduce("SUM", strategy.run(lambda: value * 1.0), axis=None)


def gradient_of(value: Any) -> Any:
    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * value
        return tape.gradient(y, x)

    return step(tf.ones_like(value))


RESULTS: dict[str, Callable[[Any], Any]] = {
    "of a function": lambda m: tf.function(lambda: m * 1.0)(),
    "of a replica": lambda m: tf.distribute.get_strategy().run(lambda: m * 1.0),
    "of one device": lambda m: tf.distribute.OneDeviceStrategy("CPU:0").run(lambda: m * 1.0),
    "of one of two replicas": lambda m: two_replicas().run(lambda: m * 1.0).values[0],
    "of a sum over replicas": lambda m: reduced(m * 0.5),
    "of a gradient": gradient_of,
    "of the host's part": lambda m: tf.function(lambda word: m * tf.cast(tf.strings.length(word), tf.float32))("a"),
    "a scalar": lambda m: tf.function(lambda: tf.reduce_sum(m * 0.1))(),
}


def decided_by_python(result: Any) -> Any:
    @tf.function
    def step(n: Any) -> Any:
        n.numpy()
        total = tf.zeros([2, 2])
        for _ in tf.range(n):
            total = total * 2.0 + result
        return total / 3.0

    return step(tf.constant(2))


def compiled(function: Callable[[Any], Any]) -> Any:
    return tf.function(function)(tf.ones([2, 2]))


CAPTURED: dict[str, Callable[[Any], Any]] = {
    "in a function": lambda r: compiled(lambda x: x * r),
    "in a branch": lambda r: compiled(lambda x: tf.cond(x[0, 0] > 0.0, lambda: x * r, lambda: r + x)),
    "in a loop": lambda r: compiled(
        lambda x: tf.while_loop(lambda i, _: i < 1, lambda i, y: (i + 1, y * r), [0, x])[1]
    ),
    "in a loop that python begins": decided_by_python,
    "in replicas": lambda r: two_replicas().run(lambda: tf.ones([2, 2]) * r).values[1],
    "in a dataset": lambda r: next(iter(tf.data.Dataset.from_tensors(np.ones([2, 2], "float32")).map(lambda x: x * r))),
    "in a concrete function": lambda r: tf.function(lambda x: x * r).get_concrete_function(tf.TensorSpec([2, 2]))(
        tf.ones([2, 2])
    ),
    "eagerly": lambda r: tf.ones([2, 2]) * r,
}


@pytest.mark.parametrize("use", CAPTURED)
@pytest.mark.parametrize("result", RESULTS)
def test_code_may_capture_what_a_program_has_returned(result: str, use: str) -> None:
    m = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    found = RESULTS[result](tf.constant(m))
    wanted = m.sum() * 0.1 if result == "a scalar" else m
    np.testing.assert_allclose(CAPTURED[use](found), np.broadcast_to(wanted, (2, 2)), rtol=1e-6)
