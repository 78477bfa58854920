"""InitializerProgram: the first value of a variable as a program, which can make some rows of it alone."""

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

from stratagem._core.values._rows import RowProgram, run_here
from stratagem._private import new_jaxpr, recorded

# Rows are made so many bytes at a time: what is computed on the way takes up to twelve times that.
_AT_A_TIME = 2 << 20

Maker = Callable[..., Any]


@final
@dataclass(frozen=True)
class _Source:
    """A program that makes rows, known by its text."""

    text: str
    rows: RowProgram = field(compare=False)
    shape: tuple[int, ...]
    dtype: Any


@functools.lru_cache(maxsize=128)
def _maker(source: _Source, count: int) -> Maker:
    shape, chunk = (count, *source.shape[1:]), _rows_at_a_time(source.shape, source.dtype, count)

    def make(start: Any, zero: Any, consts: list[Any]) -> jax.Array:
        if chunk == count:
            return source.rows(start, count, zero, consts)

        def more(i: Any, made: jax.Array) -> jax.Array:
            # The last ones begin early enough, and some are made once more.
            at = jnp.minimum(i.astype("int64") * jnp.asarray(chunk, "int64"), jnp.asarray(count - chunk, "int64"))
            return lax.dynamic_update_slice_in_dim(made, source.rows(start + at, chunk, zero, consts), at, 0)

        return lax.fori_loop(0, -(-count // chunk), more, jnp.zeros(shape, source.dtype))

    return jax.jit(make)


def _rows_at_a_time(shape: tuple[int, ...], dtype: Any, count: int) -> int:
    a_row = max(1, int(np.prod(shape[1:], dtype=np.int64)) * np.dtype(dtype).itemsize)
    return min(count, max(1, _AT_A_TIME // a_row))


@final
class InitializerProgram:
    """A traced initializer: the program of its value, and that of some rows alone where there is one."""

    def __init__(self, closed: xc.ClosedJaxpr) -> None:
        self._closed = closed
        aval: Any = closed.jaxpr.outvars[0].aval
        self.shape: tuple[int, ...] = tuple(aval.shape)
        self.dtype = np.dtype(aval.dtype)
        rows = RowProgram.of(closed.jaxpr)
        self._source = None if rows is None else _Source(str(closed.jaxpr), rows, self.shape, self.dtype)

    @classmethod
    def of(cls, make: Callable[[], Any]) -> "InitializerProgram | None":
        """Calls `make`. None if it cannot be traced: then it has to be called again, and nothing has happened.

        The states of random seeds that it draws from are then as if it had run.
        """
        before = random.getstate(), np.random.get_state()

        def pure() -> Any:
            value = make()
            return value, [new for _, new in assigned.values()]

        try:
            with recorded() as assigned:
                closed = jax.make_jaxpr(pure)()
        except Exception:  # whatever it is comes again, for whoever calls it
            closed = None
        if closed is None or not _says_all(closed):
            random.setstate(before[0])
            np.random.set_state(before[1])
            return None
        states = _outputs(closed, 1)
        for (variable, _), value in zip(assigned.values(), run_here(states), strict=True):
            variable.assign(value)
        return cls(_outputs(closed, 0, 1))

    def value(self) -> jax.Array:
        """All of it, made here, one equation after another as the initializer itself would."""
        value: jax.Array
        (value,) = run_here(self._closed)
        return value

    @property
    def by_rows(self) -> bool:
        """True if rows can be made alone."""
        return self._source is not None

    @property
    def text(self) -> str:
        """Equal for formulas of the same makers."""
        return self._known.text

    def maker(self, count: int) -> Maker:
        """A compiled function that makes so many rows, called with `arguments`. The same one for equal texts."""
        return _maker(self._known, count)

    def arguments(self, start: int) -> tuple[Any, Any, list[np.ndarray]]:
        """What to call a maker with for the rows from `start` on. As NumPy's, which may travel."""
        return np.int64(start), np.uint32(0), [np.asarray(const) for const in self._closed.consts]

    @property
    def _known(self) -> _Source:
        assert self._source is not None, "by_rows was not asked"
        return self._source


def _says_all(closed: xc.ClosedJaxpr) -> bool:
    """False for a program that needs a trace around it, or would be more exact than what it was traced from.

    Outside of a trace JAX cuts a Python number that meets a tensor of 64 bits to 32 bits.
    """
    literals: Any = (v for eqn in closed.jaxpr.eqns for v in eqn.invars if isinstance(v, xc.Literal))
    wide = (np.asarray(v.val) for v in literals if v.aval.dtype == np.float64)
    return not any(isinstance(c, jax.core.Tracer) for c in closed.consts) and all(
        x == x.astype(np.float32) for x in wide
    )


def _outputs(closed: xc.ClosedJaxpr, first: int, last: int | None = None) -> xc.ClosedJaxpr:
    """The program of some outputs, without what these do not need."""
    outs = closed.jaxpr.outvars[first:last]
    needed = {v for v in outs if not isinstance(v, xc.Literal)}
    eqns: list[Any] = []
    for eqn in reversed(closed.jaxpr.eqns):
        if not needed.isdisjoint(eqn.outvars) or eqn.effects:
            eqns.append(eqn)
            needed.update(v for v in eqn.invars if not isinstance(v, xc.Literal))
    consts = [(v, c) for v, c in zip(closed.jaxpr.constvars, closed.consts, strict=True) if v in needed]
    jaxpr = new_jaxpr([v for v, _ in consts], [], outs, eqns[::-1])
    return xc.ClosedJaxpr(jaxpr, [c for _, c in consts])
