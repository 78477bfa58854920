"""A trace that stays open gets an input when code first needs it, in whatever program inside of it the code is."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend import core as xc
from jax.sharding import Mesh, PartitionSpec

# Private parts of JAX are tried here, one level below what uses them.
from stratagem._private import StepTrace


class Stored:
    """Values by name that become inputs of a trace when they are first read."""

    def __init__(self, trace: StepTrace, **values: Any) -> None:
        self.values = {name: np.asarray(value, "float32") for name, value in values.items()}
        self.inputs: dict[str, Any] = {}
        self._trace = trace

    def __getitem__(self, name: str) -> Any:
        if name not in self.inputs:
            self.inputs[name] = self._trace.new_input(self.values[name].shape, "float32")
        return self.inputs[name]


@jax.custom_vjp
def scaled(x: Any, factor: Any) -> Any:
    return x * factor


scaled.defvjp(lambda x, f: (x * f, (x, f)), lambda kept, g: (g * kept[1], jnp.sum(g * kept[0])))


def in_nested_scans(v: Any, x: Any) -> Any:
    def outer(total: Any, row: Any) -> Any:
        return jax.lax.scan(lambda t, r: (t + r * v["late"], None), total * v["b"], jnp.stack([row, row]))[0], None

    return jax.lax.scan(outer, jnp.zeros(()), x)[0]


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "plain": lambda v, x: jnp.sum(x * v["late"] + v["b"]),
    "cond": lambda v, x: jnp.sum(jax.lax.cond(jnp.sum(x) > 0, lambda x: x * v["late"], lambda x: x, x)),
    "scan": lambda v, x: jax.lax.scan(lambda t, r: (t + r * v["late"], None), jnp.zeros(()), x)[0],
    "while": lambda v, x: jnp.sum(
        jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * v["late"]), (0, x))[1]
    ),
    "scan in scan": in_nested_scans,
    "remat": lambda v, x: jnp.sum(jax.checkpoint(lambda x: jnp.sin(x) * v["late"])(x)),
    "custom_vjp": lambda v, x: jnp.sum(scaled(x, v["late"])),
    "grad": lambda v, x: jnp.sum(jax.grad(lambda x: jnp.sum(x**2 * v["late"]))(x)),
    "grad of custom_vjp": lambda v, x: jnp.sum(jax.grad(lambda x: jnp.sum(scaled(x, v["late"])))(x)),
    "vmap": lambda v, x: jnp.sum(jax.vmap(lambda row: row * v["late"] + v["b"])(x)),
    "jit": lambda v, x: jnp.sum(jax.jit(lambda x: x * v["late"])(x) + jax.jit(lambda x: x + v["b"])(x)),
}


def recorded(function: Callable[[Any, Any], Any], axes: list[tuple[str, int]]) -> tuple[xc.ClosedJaxpr, Stored]:
    trace = StepTrace()
    v = Stored(trace, late=5.0, b=0.5, unused=1.0)
    with trace.current(axes):
        x = trace.new_input((3,), "float32")
        result = function(v, x)
    return trace.closed([result], [x, *v.inputs.values()]), v


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_input_may_be_needed_first_in_a_program_inside(name: str) -> None:
    function, x = FUNCTIONS[name], np.array([0.5, -1.0, 2.0], "float32")
    closed, v = recorded(function, [])
    (found,) = jax.jit(xc.jaxpr_as_fun(closed))(x, *(v.values[name] for name in v.inputs))
    np.testing.assert_allclose(found, function({k: jnp.asarray(a) for k, a in v.values.items()}, x), rtol=1e-6)
    assert "unused" not in v.inputs


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "while"])  # JAX has no reverse of such loops
def test_its_program_may_be_differentiated_by_such_an_input(name: str) -> None:
    function, x = FUNCTIONS[name], np.array([0.5, -1.0, 2.0], "float32")
    closed, v = recorded(function, [])
    position = 1 + list(v.inputs).index("late")
    inputs = [jnp.asarray(x), *(jnp.asarray(v.values[name]) for name in v.inputs)]
    found = jax.grad(lambda *given: xc.jaxpr_as_fun(closed)(*given)[0], position)(*inputs)

    def direct(late: Any) -> Any:
        return function({**{k: jnp.asarray(a) for k, a in v.values.items()}, "late": late}, jnp.asarray(x))

    np.testing.assert_allclose(found, jax.grad(direct)(jnp.asarray(v.values["late"])), rtol=1e-5)


def test_a_sum_over_two_devices_is_that_of_all_rows() -> None:
    closed, v = recorded(lambda v, x: jax.lax.psum(FUNCTIONS["cond"](v, x), "replica"), [("replica", 2)])
    mesh = Mesh(np.array(jax.devices()[:2]), ("replica",))
    rows = np.array([0.5, -1.0, 2.0, -1.0, -2.0, 0.25], "float32")
    run = jax.shard_map(
        lambda x, *given: xc.jaxpr_as_fun(closed)(x, *given)[0],
        mesh=mesh,
        in_specs=(PartitionSpec("replica"), *[PartitionSpec()] * len(v.inputs)),
        out_specs=PartitionSpec(),
        check_vma=False,
    )
    found = jax.jit(run)(rows, *(v.values[name] for name in v.inputs))
    assert float(found) == pytest.approx(1.5 * 5 - 2.75)
