"""InitializerProgram: the initial value of a variable as a program, which can make some of its rows alone."""

import functools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core as xc

from stratagem._core.context import entered
from stratagem._core.values._rows import RowwiseInitializer, run_here
from stratagem._private import is_literal, needed_equations, new_jaxpr, recorded

# Rows are made in chunks of this many bytes: intermediate values take up to twelve times that.
_AT_A_TIME = 2 << 20

Maker = Callable[..., Any]


@final
@dataclass(frozen=True)
class _RowProgram:
    """A program that makes rows. Sources with equal texts are equal."""

    text: str
    rows: RowwiseInitializer = field(compare=False)
    shape: tuple[int, ...]
    dtype: Any


@functools.lru_cache(maxsize=128)
def _maker(source: _RowProgram, count: int) -> Maker:
    shape, chunk = (count, *source.shape[1:]), _rows_at_a_time(source.shape, source.dtype, count)

    def make(start: Any, zero: Any, consts: list[Any]) -> jax.Array:
        if chunk == count:
            return source.rows(start, count, zero, consts)

        def more(i: Any, made: jax.Array) -> jax.Array:
            # The last chunk starts earlier if rows are missing for it; then some rows are made twice.
            at = jnp.minimum(i.astype("int64") * jnp.asarray(chunk, "int64"), jnp.asarray(count - chunk, "int64"))
            return lax.dynamic_update_slice_in_dim(made, source.rows(start + at, chunk, zero, consts), at, 0)

        return lax.fori_loop(0, -(-count // chunk), more, jnp.zeros(shape, source.dtype))

    return jax.jit(make)


def _rows_at_a_time(shape: tuple[int, ...], dtype: Any, count: int) -> int:
    a_row = max(1, int(np.prod(shape[1:], dtype=np.int64)) * np.dtype(dtype).itemsize)
    return min(count, max(1, _AT_A_TIME // a_row))


@final
class InitializerProgram:
    """A traced initializer: the program of its value, and one of some rows alone if there is one."""

    def __init__(self, closed: xc.ClosedJaxpr) -> None:
        self._closed = closed
        aval: Any = closed.jaxpr.outvars[0].aval
        self.shape: tuple[int, ...] = tuple(aval.shape)
        self.dtype = np.dtype(aval.dtype)
        rows = RowwiseInitializer.of(closed.jaxpr)
        self._source = None if rows is None else _RowProgram(str(closed.jaxpr), rows, self.shape, self.dtype)

    @classmethod
    def of(cls, make: Callable[[], Any]) -> "InitializerProgram | None":
        """Calls and traces `make`.

        Returns None if it cannot be traced; then nothing has happened, and it has to be called again.

        The states of random seeds from which it draws are set as if it had run.
        """
        before = random.getstate(), np.random.get_state()

        def pure() -> Any:
            value = make()
            return value, [new for _, new in assigned.values()]

        try:
            with recorded() as assigned, entered(first_value=True):
                closed = jax.make_jaxpr(pure)()
        except Exception:  # any error will be raised again when the initializer is called
            closed = None
        if closed is None or not _is_self_contained(closed):
            random.setstate(before[0])
            np.random.set_state(before[1])
            return None
        states = _outputs(closed, 1)
        for (variable, _), value in zip(assigned.values(), run_here(states), strict=True):
            variable.assign(value)
        return cls(_outputs(closed, 0, 1))

    def value(self) -> jax.Array:
        """Makes the whole value here, one equation after another as the initializer itself would."""
        value: jax.Array
        (value,) = run_here(self._closed)
        return value

    @property
    def by_rows(self) -> bool:
        """True if rows can be made alone."""
        return self._source is not None

    @property
    def text(self) -> str:
        """A text that is equal for initializers whose makers are the same."""
        return self._row_source.text

    def maker(self, count: int) -> Maker:
        """Returns a compiled function that makes this many rows, called with `arguments`. Equal texts share one."""
        return _maker(self._row_source, count)

    def arguments(self, start: int) -> tuple[Any, Any, list[np.ndarray]]:
        """Returns the arguments with which a maker makes the rows from `start` on, as NumPy values, which can be sent."""
        return np.int64(start), np.uint32(0), [np.asarray(const) for const in self._closed.consts]

    @property
    def _row_source(self) -> _RowProgram:
        assert self._source is not None, "the caller checks by_rows first"
        return self._source


def _is_self_contained(closed: xc.ClosedJaxpr) -> bool:
    """Returns False for a program that needs a trace around it, or is more exact than the code that it was traced from.

    Outside of a trace, JAX converts a Python number that is combined with a 64-bit tensor to 32 bits.
    """
    literals: Any = (v for eqn in closed.jaxpr.eqns for v in eqn.invars if isinstance(v, xc.Literal))
    wide = (np.asarray(v.val) for v in literals if v.aval.dtype == np.float64)
    return not any(isinstance(c, jax.core.Tracer) for c in closed.consts) and all(
        x == x.astype(np.float32) for x in wide
    )


def _outputs(closed: xc.ClosedJaxpr, first: int, last: int | None = None) -> xc.ClosedJaxpr:
    """Returns the program of some outputs, without equations that these do not need."""
    outs = closed.jaxpr.outvars[first:last]
    eqns = needed_equations(closed.jaxpr.eqns, outs)
    read = {v for v in (*outs, *(v for eqn in eqns for v in eqn.invars)) if not is_literal(v)}
    consts = [(v, c) for v, c in zip(closed.jaxpr.constvars, closed.consts, strict=True) if v in read]
    jaxpr = new_jaxpr([v for v, _ in consts], [], outs, eqns)
    return xc.ClosedJaxpr(jaxpr, [c for _, c in consts])
