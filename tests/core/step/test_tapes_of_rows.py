"""A tape in the function of `tf.vectorized_map` has the gradient of one row: that of every example, from one program."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TapeError

ROWS = np.float32([[1, 2], [3, 4], [-1, 0.5]])
SCALE = tf.Variable([1.0, 2.0])


def _of_a_variable(row: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(SCALE * row) ** 2
    return tape.gradient(y, SCALE)


def _of_the_row(row: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(row)
        y = tf.reduce_sum(SCALE * row) ** 2
    return tape.gradient(y, row)


def _unconnected(row: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(row)
    return row if tape.gradient(y, SCALE) is None else row * np.nan


def _second(row: Any) -> Any:
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(SCALE**3 * row)
        first = tape.gradient(y, SCALE)
    return outer.jacobian(first, SCALE)


def _rows_of_a_row(row: Any) -> Any:
    return tf.vectorized_map(lambda number: _of_a_variable(tf.stack([number, number])), row)


def _of_a_loop(row: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(SCALE) + row[0]
        while y < 10.0:
            y = y * y + 1.0
    return tape.gradient(y, SCALE)


FUNCTIONS = [_of_a_variable, _of_the_row, _unconnected, _second, _rows_of_a_row, _of_a_loop]


@pytest.mark.sampled
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_of_rows_are_those_of_each_alone(function: Callable[[Any], Any]) -> None:
    expected = tf.stack([function(tf.constant(row)) for row in ROWS])
    for mapped in (tf.vectorized_map, tf.function(tf.vectorized_map)):
        np.testing.assert_allclose(mapped(function, tf.constant(ROWS)), expected, rtol=1e-5)


@pytest.mark.sampled
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_tape_around_differentiates_them_again(function: Callable[[Any], Any]) -> None:
    def gradient(results: Callable[[], Any]) -> Any:
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(results() ** 2)
        return tape.gradient(total, SCALE, unconnected_gradients="zero")

    expected = gradient(lambda: tf.stack([function(tf.constant(row)) for row in ROWS]))
    mapped = lambda: tf.vectorized_map(function, tf.constant(ROWS))  # noqa: E731
    np.testing.assert_allclose(gradient(mapped), expected, rtol=1e-5)
    np.testing.assert_allclose(tf.function(gradient)(mapped), expected, rtol=1e-5)


def test_gradients_of_every_example_of_a_model_in_replicas() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential(
            [tf.keras.layers.Input((2,)), tf.keras.layers.Dense(3, "tanh"), tf.keras.layers.Dense(1)]
        )

    def gradients(row: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(row[None]) ** 2)
        return tape.gradient(loss, model.trainable_variables)

    rows = np.tile(ROWS, (2, 1))[:4]
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(4))
    step = tf.function(lambda batch: strategy.run(lambda x: tf.vectorized_map(gradients, x), (batch,)))
    found = [
        np.concatenate([np.asarray(p) for p in strategy.experimental_local_results(v)])
        for v in step(next(iter(batches)))
    ]
    for i, row in enumerate(rows):
        for value, expected in zip(found, gradients(tf.constant(row)), strict=True):
            np.testing.assert_allclose(value[i], expected, rtol=1e-5, atol=1e-6)


def test_a_tape_under_jax_vmap_says_what_to_use() -> None:
    with pytest.raises(TapeError, match=r"under `jax.vmap` in a compiled function. Use tf.vectorized_map"):
        tf.function(lambda rows: jax.vmap(_of_a_variable)(rows))(tf.constant(ROWS))


def test_arguments_that_connect_other_sources_do_not_inherit_a_none() -> None:
    variable = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any, uses_it: bool) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((variable**3 if uses_it else 1.0) * x)
        gradient = tape.gradient(y, variable)
        return gradient**2 if uses_it else (x if gradient is None else gradient * np.nan)

    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        np.testing.assert_array_equal(step(x, False), x)
        np.testing.assert_array_equal(step(x, True), [9.0, 576.0])
