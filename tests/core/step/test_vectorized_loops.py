"""Loops of `vmap` whose rows end at different rounds have the gradients of loops over one row, in compiled tapes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf

ROWS = np.float32([[1, 2], [3, 5], [20, 1], [0.5, 0.25]])
SCALE = tf.constant([2.0, 1.5])


def _doubled(row: Any) -> Any:
    return tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, lambda v: (v * 2.0,), (row,))[0]


def _with_constants(row: Any) -> Any:
    """The test and the body use values from around the loop, with and without a gradient of their own."""
    limit = tf.reduce_max(row) * 4.0
    return tf.while_loop(lambda i, v: v[0] < limit, lambda i, v: (i + 1, v * SCALE + row), (0, row))[1]


def _written(row: Any) -> Any:
    total = row
    while tf.reduce_sum(total) < 10.0:
        total = total * total + 1.0
    return total


def _nested(row: Any) -> Any:
    def advance(v: Any) -> Any:
        (inner,) = tf.while_loop(lambda w: w[0] < 5.0, lambda w: (w * SCALE + 0.5,), (v,))
        return (inner + v,)

    return tf.while_loop(lambda v: tf.reduce_sum(v) < 40.0, advance, (row,))[0]


def _printing(row: Any) -> Any:
    def advance(v: Any) -> Any:
        tf.debugging.assert_all_finite(v, "finite")
        return (v * 2.0,)

    return tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, advance, (row,))[0]


LOOPS: tuple[Callable[..., Any], ...] = (_doubled, _with_constants, _written, _nested, _printing)


def _expected(loop: Callable[..., Any]) -> tuple[Any, Any]:
    """Values and gradients of a sum of squares, one row at a time."""

    @tf.function
    def of_row(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            value = loop(row)
            loss = tf.reduce_sum(value * value)
        return value, tape.gradient(loss, row)

    found = [of_row(tf.constant(row)) for row in ROWS]
    return tuple(np.stack(parts) for parts in zip(*found, strict=True))


@pytest.mark.sampled
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__.strip("_"))
def test_rows_have_the_gradients_of_loops_of_their_own(loop: Callable[..., Any]) -> None:
    @tf.function
    def step(rows: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(rows)
            values = tf.vectorized_map(loop, rows)
            loss = tf.reduce_sum(values * values)
        return values, tape.gradient(loss, rows)

    for found, expected in zip(step(tf.constant(ROWS)), _expected(loop), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("method", ["jacobian", "batch_jacobian"])
def test_jacobians_of_rows(method: str) -> None:
    @tf.function
    def step(rows: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(rows)
            values = tf.vectorized_map(_doubled, rows)
        return getattr(tape, method)(values, rows)

    found = np.asarray(step(tf.constant(ROWS)))
    if method == "jacobian":
        found = np.stack([found[i, :, i] for i in range(len(ROWS))])
    np.testing.assert_allclose(found, np.float32([4, 2, 1, 16])[:, None, None] * np.eye(2))


def test_replicas_with_a_variable_and_wide_numbers() -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    with strategy.scope():
        factor = tf.Variable([2.0, 2.0], dtype=tf.float64)

    def grown(row: Any) -> Any:
        return tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, lambda v: (v * factor,), (row,))[0]

    def replica() -> Any:
        with tf.GradientTape() as tape:
            values = tf.vectorized_map(grown, tf.constant(ROWS, tf.float64))
            loss = tf.reduce_sum(values)
        return tape.gradient(loss, factor)

    found = strategy.run(tf.function(replica))
    # Rounds times 2 ** (rounds - 1) times the row, added up.
    expected = (np.array([4.0, 1.0, 0.0, 32.0])[:, None] * ROWS.astype(np.float64)).sum(0)
    for each in strategy.experimental_local_results(found):
        assert each.dtype == np.float64
        np.testing.assert_allclose(each, expected, rtol=1e-14)
