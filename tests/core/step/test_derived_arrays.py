"""A loop keeps no array that only a later loop reads and can compute from what else it reads: the same values."""

from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

from stratagem._core.rewrites import rewrite_loops
from tests.core.step.observing import equations

XS = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")


def arrays_of_loops(closed: xc.ClosedJaxpr) -> list[int]:
    """How many arrays of all its steps each loop of a program gives."""
    loops = [eqn for eqn in equations(closed.jaxpr) if eqn.primitive.name == "scan"]
    return [len(eqn.outvars) - eqn.params["num_carry"] for eqn in loops]


def two_loops(first: Any, later: Any, outside: Any = lambda *arrays: 0.0, *, reverse: bool = True) -> Any:
    """A loop whose steps give what `first` makes of a slice, and one that adds up what `later` makes of these."""

    def program(xs: Any) -> Any:
        _, arrays = jax.lax.scan(lambda c, x: (c + x, first(c, x)), jnp.zeros(3), xs)
        total, _ = jax.lax.scan(lambda c, a: (c * 0.5 + later(*a), None), jnp.zeros(3), arrays, reverse=reverse)
        return total, outside(*arrays)

    return program


def assert_same(program: Any, xs: Any = XS) -> list[int]:
    """Returns how many arrays each loop of the rewritten program gives."""
    closed = rewrite_loops(jax.make_jaxpr(program)(xs), "cpu")
    for a, b in zip(jax.jit(xc.jaxpr_as_fun(closed))(xs), jax.tree.leaves(jax.jit(program)(xs)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
    return arrays_of_loops(closed)


@pytest.mark.parametrize("reverse", [False, True])
def test_what_a_later_loop_can_compute_is_not_kept(reverse: bool) -> None:
    def gates(c: Any, x: Any) -> Any:
        y, z = jnp.tanh(c + x), jnp.exp(x)
        left = 1.0 - y
        return y, left, y * left, z, z * left - y

    assert assert_same(two_loops(gates, lambda *a: a[0] * a[1] + a[2] * a[3] + a[4], reverse=reverse)) == [2, 0]


@pytest.mark.parametrize(
    ("first", "arrays"),
    [
        (lambda c, x: (y := jnp.tanh(x), jnp.exp(y)), 2),  # not cheap
        (lambda c, x: (y := jnp.tanh(x), c - y), 2),  # from a carry, which the later loop does not read
        (lambda c, x: (y := jnp.tanh(x), x - y), 2),  # from a slice, which it does not read either
        (lambda c, x: (y := jnp.tanh(x), y * y * y * y * y * y), 2),  # as long as reading it
    ],
)
def test_what_it_cannot_compute_is_kept(first: Any, arrays: int) -> None:
    assert assert_same(two_loops(first, lambda a, b: a * b)) == [arrays, 0]


def test_what_something_else_reads_is_kept() -> None:
    def first(c: Any, x: Any) -> Any:
        y = jnp.tanh(c + x)
        return y, 1.0 - y

    assert assert_same(two_loops(first, lambda a, b: a * b, lambda a, b: b[1:3])) == [2, 0]
    assert assert_same(two_loops(first, lambda a, b: a * b, lambda a, b: a[1:3])) == [1, 0]


def test_what_two_loops_read_is_kept() -> None:
    def program(xs: Any) -> Any:
        _, (a, b) = jax.lax.scan(lambda c, x: (c, (y := jnp.tanh(x), 1.0 - y)), 0.0, xs)
        return [jax.lax.scan(lambda c, s: (c + s[0] * s[1], None), jnp.zeros(3), (a, b))[0] for _ in range(2)]

    assert assert_same(program) == [2, 0, 0]


def test_an_array_that_is_given_twice_is_kept() -> None:
    def first(c: Any, x: Any) -> Any:
        y = jnp.tanh(c + x)
        left = 1.0 - y
        return y, left, left

    assert assert_same(two_loops(first, lambda a, b, d: a * b + d)) == [3, 0]


def test_loops_in_other_programs_are_found() -> None:
    inner = two_loops(lambda c, x: (y := jnp.tanh(x), 1.0 - y), lambda a, b: a * b)
    assert assert_same(jax.jit(inner)) == [1, 0]
    assert assert_same(lambda xs: jax.lax.cond(xs.sum() > -1e9, inner, inner, xs)) == [1, 0, 1, 0]


@pytest.mark.thorough
@hypothesis.settings(max_examples=40)
@hypothesis.given(data=st.data())
def test_any_two_loops(data: st.DataObject) -> None:
    """Steps that add, subtract and multiply what was computed before, of which the later loop reads some."""
    operations = (jnp.add, jnp.subtract, jnp.multiply, jnp.maximum)
    drawn = [
        (data.draw(st.sampled_from(operations)), data.draw(st.integers(0, 99)), data.draw(st.integers(0, 99)))
        for _ in range(data.draw(st.integers(1, 7)))
    ]
    kept = data.draw(st.lists(st.integers(0, len(drawn) + 1), min_size=1, unique=True))

    def first(c: Any, x: Any) -> Any:
        values = [jnp.tanh(c), jnp.tanh(x)]
        for operation, a, b in drawn:
            values.append(operation(values[a % len(values)], 0.5 if b % 5 == 0 else values[b % len(values)]))
        return [values[i] for i in kept]

    def later(*arrays: Any) -> Any:
        return sum((i + 1.0) * a for i, a in enumerate(arrays))

    assert_same(two_loops(first, later))


@pytest.mark.sampled
@pytest.mark.parametrize(("layer", "arrays", "as_traced"), [("LSTM", 8, 13), ("GRU", 6, 10), ("SimpleRNN", 3, 4)])
def test_a_recurrent_layer_keeps_what_its_gradient_cannot_compute(layer: str, arrays: int, as_traced: int) -> None:
    network = getattr(keras.layers, layer)(8)
    network.build((4, 6, 3))
    others = [v.value for v in network.non_trainable_variables]

    def loss(weights: Any, x: Any) -> Any:
        return jnp.sum(network.stateless_call(weights, others, x)[0] ** 2)

    closed = jax.make_jaxpr(jax.grad(loss))([v.value for v in network.trainable_variables], jnp.ones((4, 6, 3)))
    assert arrays_of_loops(closed)[0] == as_traced
    assert arrays_of_loops(rewrite_loops(closed, "cpu"))[0] == arrays
