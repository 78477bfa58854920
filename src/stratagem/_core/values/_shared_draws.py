"""Numbers of initial values that are made at once: drawn by one program for all shapes, or filled in without any."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from stratagem._core.values._rows import RowwiseInitializer
from stratagem._private import intercept_initial_values, new_jaxpr

# A program draws so many numbers: in a tenth of a millisecond, so that it serves one number, too.
_BLOCK = 1 << 14
# A larger value is worth a program of its own, which all threads of the machine compute.
_LARGEST = 1 << 24
# The program of a block is one of a value of so many numbers, of which it draws some.
_ALL = 2 * _LARGEST

Draw = Callable[..., Any]
Shape = tuple[int, ...]


def _drawn(draw: Draw, shape: Shape, a: float, b: float, key: jax.Array) -> jax.Array | None:
    """Returns what draw(shape, a, b, "float32", key) would return, to the last bit."""
    size = math.prod(shape)
    by_place: bool = jax.config.jax_threefry_partitionable  # type: ignore[attr-defined]
    program = _block(draw, by_place) if 0 < size <= _LARGEST and key.dtype == np.uint32 and key.shape == (2,) else None
    if program is None:
        return None
    consts, zero = [key, np.float32(a), np.float32(b)], np.uint32(0)
    blocks = [program(np.int64(start), zero, consts) for start in range(0, size, _BLOCK)]
    return jax.device_put(np.concatenate([np.asarray(block) for block in blocks])[:size].reshape(shape))


@functools.lru_cache
def _block(draw: Draw, by_place: bool) -> Callable[..., jax.Array] | None:
    """Returns the program of `_BLOCK` numbers from a position on; None if JAX's generator draws none without the others.

    by_place: JAX's setting on which that depends.
    """

    def whole(key: Any, a: Any, b: Any) -> Any:
        return draw((_ALL,), a, b, "float32", key)

    number = jax.ShapeDtypeStruct((), np.float32)
    closed = jax.make_jaxpr(whole)(jax.ShapeDtypeStruct((2,), np.uint32), number, number)
    if closed.consts:
        return None
    rows = RowwiseInitializer.of(new_jaxpr(closed.jaxpr.invars, [], closed.jaxpr.outvars, closed.jaxpr.eqns))
    if rows is None:
        return None

    def some_initial_values(start: Any, zero: Any, consts: list[Any]) -> jax.Array:
        return rows(start, _BLOCK, zero, consts)

    return jax.jit(some_initial_values)


def _filled(shape: Shape, number: float) -> jax.Array | None:
    return jax.device_put(np.full(shape, number, np.float32)) if math.prod(shape) <= _LARGEST else None


def attach_shared_draws() -> None:
    """Let initial values be made without a program for each shape."""
    intercept_initial_values(_drawn, _filled)
