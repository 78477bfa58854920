"""Programs with symbols for sizes become programs with numbers, and a trace stays open between statements."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax.extend import core as xc

# Private parts of JAX are tried here, one level below what uses them.
from stratagem._private import GraphTrace, with_sizes


@jax.custom_vjp
def doubled(x: Any) -> Any:
    return x * 2.0


doubled.defvjp(lambda x: (x * 2.0, x), lambda x, g: (g * 3.0 + 0.0 * x,))


def looped(x: Any) -> Any:
    return jax.lax.scan(lambda total, row: (total + jnp.tanh(row), total), jnp.zeros(x.shape[1:]), x)[1]


def decided(x: Any) -> Any:
    return jax.lax.cond(x.sum() > 0, lambda x: x * 2.0, lambda x: jnp.flip(x, 0), x)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "custom_jvp": lambda x: jax.nn.relu(x) + jax.nn.silu(x),
    "custom_vjp": doubled,
    "scan": looped,
    "cond": decided,
    "loop": lambda x: jax.lax.fori_loop(0, 3, lambda i, s: s * 1.5 + i, x),
    "sizes": lambda x: x * x.shape[0] + jnp.mean(x, axis=0) + jnp.arange(x.shape[0], dtype=x.dtype)[:, None],
    "reshape": lambda x: jnp.reshape(x, (-1, 2, 2)).transpose(2, 0, 1),
    "pad": lambda x: jnp.pad(x, ((1, 2), (0, 1)))[1:, ::2],
    "gather": lambda x: jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1),
    "matmul": lambda x: jnp.einsum("ij,kj->ik", x, x),
    "concatenate": lambda x: jnp.concatenate([x, x * 2, jnp.zeros((x.shape[0], 4))], axis=0),
    "cumsum": lambda x: jnp.cumsum(x, axis=0),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_with_known_sizes_computes_what_its_function_does(name: str) -> None:
    function = FUNCTIONS[name]
    (rows,) = export.symbolic_shape("rows")
    closed = jax.make_jaxpr(function)(jax.ShapeDtypeStruct((rows, 4), np.float32))
    for size in (1, 5):
        x = np.random.default_rng(size).normal(size=(size, 4)).astype(np.float32)
        known = with_sizes(closed, {"rows": size})
        xc.check_jaxpr(known.jaxpr)
        (found,) = jax.jit(xc.jaxpr_as_fun(known))(x)
        np.testing.assert_allclose(found, function(x), rtol=1e-6)
        slopes = jax.grad(lambda x, known=known: jnp.sum(xc.jaxpr_as_fun(known)(x)[0] ** 2))(x)
        expected = jax.grad(lambda x: jnp.sum(function(x) ** 2))(x)
        np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-6)


class Owner:
    """What a trace asks for its tensors."""

    def __init__(self) -> None:
        self.noted: list[Any] = []

    def made(self, variable: Any) -> None:
        self.noted.append(variable)

    def shown(self, tensor: Any) -> str:
        return "a tensor"


def test_a_trace_goes_on_where_it_was_left_and_gives_the_part_that_is_asked_for() -> None:
    owner = Owner()
    trace = GraphTrace(owner)
    with trace.current():
        x, y = trace.new_input((3,), np.float32), trace.new_input((3,), np.float32)
        double = x * 2.0
    assert not trace.is_current()
    assert jnp.ones(2).sum() == 2.0  # computed at once
    with trace.current():
        total = double + y
    assert len(owner.noted) >= 2
    closed, inputs = trace.program([double], lambda eqn, later: False)
    assert inputs == [trace.variable_of(x)]
    assert [eqn.primitive.name for eqn in closed.jaxpr.eqns] == ["mul"]
    closed, inputs = trace.program([total], lambda eqn, later: False, [trace.variable_of(double)])
    assert inputs == [trace.variable_of(y), trace.variable_of(double)]
    (found,) = xc.jaxpr_as_fun(closed)(np.ones(3, np.float32), np.full(3, 5, np.float32))
    np.testing.assert_array_equal(found, [6, 6, 6])
    assert trace.holds(x)
    assert not trace.holds(jnp.ones(2))
    assert {x: 1}[x] == 1
    with pytest.raises(TypeError, match="cannot be pickled"):
        trace.__reduce__()
