"""Rewrites of a traced program for its platform; tests compare each with the original program."""

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._base.types import Value
from stratagem._private import map_jaxprs

# With the max-pool rewrite, a step of the tutorial's CNN takes 12.2 ms instead of 17.3 (one run, two cores, busy machine).
_CPU_OPTIONS = {
    "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_DOT,LIBRARY_FUSION_TYPE_ELTWISE,LIBRARY_FUSION_TYPE_REDUCE"
}
_TRANSPARENT = ("jit", "pjit", "closed_call", "checkpoint", "remat2", "scan", "cond", "while")


def compiler_options(platform: str) -> dict[str, Value] | None:
    """Returns XLA options that make programs faster on the platform."""
    return dict(_CPU_OPTIONS) if platform == "cpu" else None


def rewrite(closed: xc.ClosedJaxpr, platform: str) -> xc.ClosedJaxpr:
    """Returns the same program without equations that XLA computes wrongly and, on CPUs, with faster ones.

    Other platforms have fast kernels for these.
    """
    return xc.ClosedJaxpr(_rewritten(closed.jaxpr, platform), closed.consts)


def _rewritten(jaxpr: Any, platform: str) -> Any:
    return jaxpr.replace(eqns=[new for eqn in jaxpr.eqns for new in _equations(eqn, platform)])


def _equations(eqn: Any, platform: str) -> Iterator[Any]:
    if platform == "cpu" and eqn.primitive.name == "reduce_window_max" and is_disjoint_pool(eqn):
        pool = functools.partial(max_pool, window=tuple(eqn.params["window_dimensions"]))
        yield from _inlined(jax.make_jaxpr(pool)(eqn.invars[0].aval), eqn)
    elif eqn.primitive.name == "abs" and jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.signedinteger):
        # XLA simplifies abs(x * x) to x * x, which is wrong if that overflows.
        yield from _inlined(jax.make_jaxpr(lambda x: jax.lax.max(x, jax.lax.neg(x)))(eqn.invars[0].aval), eqn)
    elif eqn.primitive.name in _TRANSPARENT:
        inner = functools.partial(_rewritten, platform=platform)
        yield eqn.replace(params={k: map_jaxprs(v, inner) for k, v in eqn.params.items()})
    else:
        yield eqn


def _inlined(new: xc.ClosedJaxpr, eqn: Any) -> Iterator[Any]:
    """Yields a program's equations in place of one equation with the same operands and results."""
    names = dict(zip(new.jaxpr.invars, eqn.invars, strict=True)) | dict(
        zip(new.jaxpr.outvars, eqn.outvars, strict=True)
    )

    def renamed(atom: Any) -> Any:
        return atom if isinstance(atom, xc.Literal) else names.get(atom, atom)

    for inner in new.jaxpr.eqns:
        yield inner.replace(invars=list(map(renamed, inner.invars)), outvars=list(map(renamed, inner.outvars)))


# --- Max-pooling -----------------------------------------------------------------------------------------------------------


def is_disjoint_pool(eqn: Any) -> bool:
    """Returns whether an equation max-pools floats in windows that do not overlap, without padding or dilation."""
    p, x = eqn.params, eqn.invars[0].aval
    window = tuple(p["window_dimensions"])
    return (
        window == tuple(p["window_strides"])
        and all(low == high == 0 for low, high in p["padding"])
        and all(d == 1 for d in (*p["base_dilation"], *p["window_dilation"]))
        and 1 < np.prod(window) <= 16
        and jnp.issubdtype(x.dtype, jnp.floating)
        and all(size >= w for size, w in zip(x.shape, window, strict=True) if w > 1)
    )


def _cells(x: jax.Array, window: tuple[int, ...]) -> list[jax.Array]:
    """Returns, for every position in a window in row-major order, the value at that position in all windows."""
    ends = [size // w * w for size, w in zip(x.shape, window, strict=True)]
    places = itertools.product(*map(range, window))
    return [x[tuple(slice(i, e, w) for i, e, w in zip(at, ends, window, strict=True))] for at in places]


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def max_pool(x: jax.Array, window: tuple[int, ...]) -> jax.Array:
    """Returns the maximum over disjoint windows; elements outside of full windows are ignored.

    Its gradient is faster than XLA's.
    """
    return functools.reduce(jnp.maximum, _cells(x, window))


def _max_pool_forward(x: jax.Array, window: tuple[int, ...]) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    cells = _cells(x, window)
    top = functools.reduce(jnp.maximum, cells)
    winner = jnp.full(top.shape, len(cells) - 1, jnp.int8)
    for place in reversed(range(len(cells) - 1)):  # the first maximum wins, as in TensorFlow and XLA
        winner = jnp.where(cells[place] == top, jnp.int8(place), winner)
    return top, (winner, jnp.zeros((0, *x.shape), x.dtype))  # an empty array carries the shape


def _max_pool_backward(
    window: tuple[int, ...], saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array]:
    winner, like = saved
    shape = like.shape[1:]
    # (n, h, w, c) → (n, 1, h, 1, w, 1, c, 1) against the places (1, 1, 1, wh, 1, ww, 1, 1): one fused comparison.
    spread = tuple(s for size in winner.shape for s in (size, 1))
    places = jnp.arange(np.prod(window), dtype=jnp.int8).reshape([s for w in window for s in (1, w)])
    cells = jnp.where(places == winner.reshape(spread), gradient.reshape(spread), jnp.zeros((), gradient.dtype))
    full = cells.reshape([size * w for size, w in zip(winner.shape, window, strict=True)])
    return (jnp.pad(full, [(0, size - have) for size, have in zip(shape, full.shape, strict=True)]),)


max_pool.defvjp(_max_pool_forward, _max_pool_backward)
