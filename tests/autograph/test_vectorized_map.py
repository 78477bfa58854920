"""`tf.vectorized_map`, and compiled functions inside of transformations of JAX."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf


@tf.function
def with_sign(x: Any) -> Any:
    if x > 1.0:
        return x * x
    return -x


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["eager", "function"])
def test_rows_are_computed_at_once_by_compiled_functions_too(decorate: Any) -> None:
    calls = []

    def row(pair: Any) -> Any:
        calls.append(object())
        x, y = pair
        return {"signed": with_sign(x), "sum": with_sign(x) + y if y > 0.0 else y}

    def rows(xs: Any, ys: Any) -> Any:
        return tf.vectorized_map(row, (xs, ys))

    found = decorate(rows)(tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, -2.0, 3.0]))
    np.testing.assert_array_equal(found["signed"], [-1.0, 4.0, 9.0])
    np.testing.assert_array_equal(found["sum"], [0.0, -2.0, 12.0])
    assert len(calls) <= 4, "every call is for all rows"


def test_an_eager_map_is_traced_once_for_a_function() -> None:
    calls = 0

    def row(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x + 1.0

    for start in range(3):
        xs = np.arange(start, start + 4, dtype=np.float32)
        np.testing.assert_array_equal(tf.vectorized_map(row, xs), xs + 1.0)
    assert calls <= 4


def test_an_eager_map_reads_anew_what_may_have_changed() -> None:
    table = {"added": 1.0}
    for added in (1.0, 5.0):
        table["added"] = added
        np.testing.assert_array_equal(tf.vectorized_map(lambda x: x + table["added"], tf.zeros(3)), [added] * 3)


def test_a_function_that_assigns_is_called_for_one_row_after_another(caplog: pytest.LogCaptureFixture) -> None:
    total = tf.Variable(0.0)

    def add(x: Any) -> Any:
        return total.assign_add(x) * 1.0

    np.testing.assert_array_equal(tf.vectorized_map(add, tf.constant([1.0, 2.0, 3.0])), [1.0, 3.0, 6.0])
    assert float(total) == 6.0
    assert "one row after another, because the function assigns" in caplog.text
    with pytest.raises(ValueError, match=r"assigns .*fallback_to_while_loop"):
        tf.vectorized_map(add, tf.constant([1.0]), fallback_to_while_loop=False)
    assert float(total) == 6.0


def test_tapes_differentiate_a_map() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda v: v * v * v, x)
    np.testing.assert_allclose(tape.gradient(y, x), [3.0, 12.0, 27.0], rtol=1e-6)


def test_compiled_functions_are_parts_of_jaxs_own_programs() -> None:
    weight = tf.Variable(3.0)

    @tf.function
    def cubed(x: Any) -> Any:
        return tf.reduce_sum(x * x * x) * weight

    x = tf.constant([1.0, 2.0])
    assert float(jax.jit(cubed)(x)) == 27.0
    np.testing.assert_allclose(jax.grad(cubed)(x), [9.0, 36.0])
    np.testing.assert_allclose(jax.vmap(cubed)(x), [3.0, 24.0])


def test_what_cannot_be_a_part_of_jaxs_programs_is_an_error_and_leaves_the_variable() -> None:
    counter = tf.Variable(1.0)
    increased = tf.function(lambda x: counter.assign_add(x))
    with pytest.raises(tf.errors.UnimplementedError, match=r"assigns .* inside of a transformation of JAX"):
        jax.jit(increased)(1.0)
    assert float(counter) == 1.0
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    with pytest.raises(RuntimeError, match=r"run\(.* inside of a transformation of JAX .* holds no step"):
        jax.jit(lambda x: strategy.run(lambda y: y * 2.0, (x,)))(1.0)
