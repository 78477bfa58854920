"""A recording trace hands every operation of JAX to its recorder, whatever function it comes from."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from stratagem import _private


class Recorded:
    """A recorder that computes everything and keeps what it was asked."""

    def __init__(self) -> None:
        self.operands: list[tuple[Any, ...]] = []
        self.moved: list[tuple[Any, ...]] = []

    def run(self, operation: Any, operands: Any) -> Any:
        self.operands.append(tuple(operands))
        return operation.compute(*operands)

    def tracks(self, operands: Any) -> bool:
        return False

    def note_call(self, operands: Any, results: Any, reverse: Any) -> None:
        self.moved.append((operands, results, reverse))

    def refuse(self, results: Any, message: str) -> None:
        raise AssertionError(message)

    def read(self, variable: Any, value: Any) -> Any:
        return value()


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    recorder = Recorded()
    trace = _private.new_recording(recorder)
    _private.resume_recording(trace)
    yield recorder
    _private.end_recording(trace)


@jax.custom_jvp
def custom_jvp(x: Any) -> Any:
    return x * 2


custom_jvp.defjvp(lambda primals, tangents: (custom_jvp(*primals), tangents[0] * 2))


@jax.custom_vjp
def custom_vjp(x: Any) -> Any:
    return x * 2


custom_vjp.defvjp(lambda x: (custom_vjp(x), None), lambda _, g: (g * 2,))


@pytest.mark.parametrize(
    "function",
    [
        jnp.sin,
        jax.jit(lambda x: x * 2),
        custom_jvp,
        custom_vjp,
        jax.nn.relu,
        lambda x: jax.lax.fori_loop(0, 2, lambda i, v: v * x, x),
        lambda x: jax.lax.cond(True, jnp.sin, jnp.cos, x),
        jax.vmap(jnp.sin),
        lambda x: jax.checkpoint(jnp.sin)(x),
    ],
)
def test_every_operation_is_handed_over(recorded: Recorded, function: Any) -> None:
    x = jnp.asarray([1.0, 2.0])
    before = len(recorded.operands)
    found = function(x)
    assert any(x is operand for operands in recorded.operands[before:] for operand in operands)
    assert type(found) is type(x)
    assert _private.runs_at_once()


def test_values_that_move_are_announced(recorded: Recorded) -> None:
    x = jnp.asarray([1.0, 2.0])
    moved = jax.device_put(x, jax.devices()[1])
    assert moved.devices() == {jax.devices()[1]}
    ((operands, _, reverse),) = [m for m in recorded.moved if m[0][0] is x]
    assert [c.devices() for c in reverse([moved])] == [x.devices()]
    assert operands[0] is x


def test_inside_of_another_transformation_nothing_is_handed_over(recorded: Recorded) -> None:
    inside = []

    def function(x: Any) -> Any:
        inside.append((_private.current_recording(), _private.runs_at_once()))
        return x * 2

    jax.jit(function)(jnp.ones(3))
    assert inside == [(None, False)]


def test_a_recording_is_ended_where_it_began() -> None:
    trace = _private.new_recording(Recorded())
    _private.resume_recording(trace)
    with pytest.raises(RuntimeError, match="inside a jax transformation"):
        jax.make_jaxpr(lambda: _private.end_recording(trace))()
    _private.end_recording(trace)
    assert _private.current_recording() is None


def test_a_twin_is_another_object_for_the_same_buffer() -> None:
    x = jnp.asarray([1.0, 2.0])
    y = _private.twin(x)
    assert y is not x
    assert y.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert (y.sharding, y.dtype, y.tolist()) == (x.sharding, x.dtype, x.tolist())
