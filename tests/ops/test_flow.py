"""Branches and loops inside a trace: structures, gradients, assignments to variables."""

from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf


@pytest.mark.parametrize(("x", "expected"), [(1.0, 1.0), (3.0, 6.0)])
def test_cond(x: float, expected: float) -> None:
    step = jax.jit(lambda x: tf.cond(x > 2, lambda: {"y": x * 2, "n": 1}, lambda: {"y": x, "n": 0}))
    assert float(step(x)["y"]) == expected
    assert int(step(x)["n"]) == (x > 2)


def test_case_and_switch_case() -> None:
    case = jax.jit(lambda x: tf.case([(x < 1, lambda: 1), (x < 2, lambda: 2)], default=lambda: 3))
    assert [int(case(x)) for x in (0, 1, 5)] == [1, 2, 3]
    last = jax.jit(lambda x: tf.case([(x < 1, lambda: 1), (x < 2, lambda: 2)]))
    assert [int(last(x)) for x in (0, 5)] == [1, 2]
    switch = jax.jit(lambda i: tf.switch_case(i, {0: lambda: 10, 2: lambda: 12}, default=lambda: -1))
    assert [int(switch(i)) for i in (0, 1, 2, 3, -4)] == [10, -1, 12, -1, -1]


def test_while_loop() -> None:
    step = jax.jit(lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (0, x)))
    count, value = step(jnp.float32(1.5))
    assert (int(count), float(value)) == (3, 12)
    single = jax.jit(lambda x: tf.while_loop(lambda v: v["a"] < 3, lambda v: {"a": v["a"] + 1}, [{"a": x}]))
    assert int(single(0)[0]["a"]) == 3


def test_while_loop_stops_at_its_limit() -> None:
    step = jax.jit(lambda x: tf.while_loop(lambda a: a < 100.0, lambda a: [a * 2], [x], maximum_iterations=3))
    assert float(step(1.0)[0]) == 8
    assert float(step(60.0)[0]) == 120


def test_while_loop_has_a_gradient_with_a_limit() -> None:
    def power(x: jax.Array) -> jax.Array:
        return tf.while_loop(lambda i, a: a < 10.0, lambda i, a: (i + 1, a * x), (0, x), maximum_iterations=8)[1]

    assert float(power(jnp.float32(3))) == 27
    assert float(jax.grad(power)(3.0)) == 27


def test_while_loop_names_the_mismatch() -> None:
    with pytest.raises(ValueError, match="returned 1 values for 2 loop variables"):
        tf.while_loop(lambda i, a: i < 3, lambda i, a: i + 1, (0, 1))


@pytest.mark.sampled
@pytest.mark.parametrize("initializer", [None, 10])
@pytest.mark.parametrize("reverse", [False, True])
def test_scan_is_the_same_in_a_trace(initializer: int | None, reverse: bool) -> None:
    def run(rows: jax.Array) -> Any:
        return tf.scan(lambda a, x: 2 * a + x, rows, initializer, reverse=reverse)

    rows = jnp.arange(1, 5)
    np.testing.assert_array_equal(jax.jit(run)(rows), run(rows))
    assert jax.jit(run)(jnp.arange(1, 2)).shape == (1,)


def test_folds_and_maps_are_the_same_in_a_trace() -> None:
    rows = jnp.arange(1.0, 4.0)
    for run in (
        lambda r: tf.foldl(lambda a, x: a * 10 + x, r),
        lambda r: tf.foldr(lambda a, x: a * 10 + x, r, 7.0),
        lambda r: tf.map_fn(lambda x: x * x, r),
        lambda r: tf.vectorized_map(lambda x: x + tf.reduce_sum(x), r),
    ):
        np.testing.assert_array_equal(jax.jit(run)(rows), run(rows))


def test_maps_over_nothing() -> None:
    assert tf.map_fn(lambda x: tf.stack([x, x]), tf.zeros([0])).shape == (0, 2)


def test_known_rows_are_python_calls() -> None:
    seen: list[float] = []
    tf.map_fn(lambda x: (seen.append(float(x)), x)[1], tf.constant([1.0, 2.0]))
    assert seen == [1, 2]


# --- Variables --------------------------------------------------------------------------------------------------------


def stateful(body: Any, start: float, *args: Any) -> tuple[Any, float]:
    """The result and the new value of a variable that starts at `start`, from a compiled stateless call."""
    variable = keras.Variable(0.0)

    def step(value: Any, *inputs: Any) -> Any:
        with keras.StatelessScope([(variable, value)]) as scope:
            result = body(variable, *inputs)
        return result, scope.get_current_value(variable)

    result, value = jax.jit(step)(start, *args)
    assert float(variable.value) == 0, "the variable itself changes when the step commits"
    return result, float(value)


@pytest.mark.parametrize(("x", "expected"), [(1.0, (5.0, 5.0)), (3.0, (30.0, 15.0))])
def test_a_branch_assigns(x: float, expected: tuple[float, float]) -> None:
    def body(variable: Any, x: jax.Array) -> Any:
        def grow() -> jax.Array:
            variable.assign_add(10.0)
            return variable * 2.0

        return tf.cond(x > 2, grow, lambda: variable * 1.0)

    result, value = stateful(body, 5.0, x)
    assert (float(result), value) == expected


def test_a_branch_reads_what_was_assigned_before() -> None:
    def body(variable: Any, x: jax.Array) -> Any:
        variable.assign(7.0)
        return tf.cond(x > 0, lambda: variable + 1.0, lambda: 0.0)

    assert stateful(body, 5.0, 1.0)[0] == 8


def test_branches_nest() -> None:
    def body(variable: Any, x: jax.Array) -> Any:
        def inner() -> jax.Array:
            return tf.cond(x > 1, lambda: variable.assign_add(1.0) * 1.0, lambda: variable.assign_add(2.0) * 1.0)

        return tf.cond(x > 0, inner, lambda: x)

    assert [stateful(body, 0.0, x)[1] for x in (-1.0, 0.5, 2.0)] == [0, 2, 1]


@pytest.mark.parametrize("limit", [None, 5])
def test_a_loop_body_assigns(limit: int | None) -> None:
    def body(variable: Any, x: jax.Array) -> Any:
        def advance(i: jax.Array) -> Any:
            variable.assign_add(x)
            return [i + 1]

        return tf.while_loop(lambda i: variable < 10.0, advance, [0], maximum_iterations=limit)

    result, value = stateful(body, 1.0, 3.0)
    assert (int(result[0]), value) == (3, 10)


def test_rows_assign() -> None:
    def body(variable: Any, rows: jax.Array) -> Any:
        def visit(row: jax.Array) -> jax.Array:
            variable.assign_add(row)
            return variable * 1.0

        total = tf.scan(lambda a, r: a + visit(r), rows, 0.0)
        return tf.map_fn(visit, rows), total

    (mapped, total), value = stateful(body, 0.0, jnp.asarray([1.0, 2.0]))
    assert (mapped.tolist(), total.tolist(), value) == ([4, 6], [1, 4], 6)


def test_a_traced_loop_names_the_variable_whose_shape_changes() -> None:
    grow = jax.jit(
        lambda n: tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.concat([a, [1.0]], 0)), (0, tf.zeros([1])))
    )
    with pytest.raises(TypeError, match=r"loop variable 1 of tf.while_loop has shape \(1,\) .* \(2,\)"):
        grow(3)
