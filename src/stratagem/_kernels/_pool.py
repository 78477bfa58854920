"""Pools as linear primitives: sums of windows, elements at places of windows, and their transposes.

`take_places` and `put_places` are transposes of each other, as are `sum_windows` and `spread_windows`. With these two pairs
pools have derivatives of every order.
"""

import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._kernels._computed_once import computed_once
from stratagem._kernels._library import SPREAD_WINDOWS, SUM_WINDOWS, has_kernels
from stratagem._kernels._primitives import define
from stratagem._kernels._windows import Windows
from stratagem._private import runs_here_as_it_is

take_places_p = xc.Primitive("take_places")
put_places_p = xc.Primitive("put_places")
sum_windows_p = xc.Primitive("sum_windows")
spread_windows_p = xc.Primitive("spread_windows")

_LANES: Final = 8  # channels that the library adds at a time


def take_places(x: jax.Array, winner: jax.Array, windows: Windows) -> jax.Array:
    """Returns of every window of x the element at a place.

    winner: of each window the number of the place in row-major order, int8.
    """
    return take_places_p.bind(x, winner, windows=windows, shape=x.shape)


def sum_windows(x: jax.Array, windows: Windows) -> jax.Array:
    """Returns the sum of every window."""
    return sum_windows_p.bind(x, windows=windows, shape=x.shape)


# --- By XLA ------------------------------------------------------------------------------------------------------------------


def _take_by_xla(x: jax.Array, winner: jax.Array, *, windows: Windows, shape: tuple[int, ...]) -> jax.Array:
    zero = jnp.zeros((), x.dtype)
    chosen = [jnp.where(winner == place, cell, zero) for place, cell in enumerate(windows.elements(x))]
    return functools.reduce(jnp.add, chosen)


def _put_by_xla(y: jax.Array, winner: jax.Array, *, windows: Windows, shape: tuple[int, ...]) -> jax.Array:
    def put(y: jax.Array, winner: jax.Array) -> jax.Array:
        zero = jnp.zeros((), y.dtype)
        return windows.sum_of([jnp.where(winner == place, y, zero) for place in range(len(windows.places()))], shape)

    # Operands in memory: each is read for every window that an element is in, and would be computed as often. In DenseNet the
    # gradient of a pool is the sum of what seven layers give back: to compute it nine times took a quarter of the step.
    return computed_once(put, y, winner)


def _sum_by_xla(x: jax.Array, *, windows: Windows, shape: tuple[int, ...]) -> jax.Array:
    zero = np.zeros((), x.dtype)[()]
    how = (windows.size, windows.strides, windows.padding, None, windows.dilation)
    return jax.lax.reduce_window(x, zero, jax.lax.add, *how)


def _spread_by_xla(y: jax.Array, *, windows: Windows, shape: tuple[int, ...]) -> jax.Array:
    if windows.are_disjoint():
        return windows.repeated(y, shape)
    x = jax.ShapeDtypeStruct(shape, y.dtype)
    return jax.linear_transpose(lambda x: _sum_by_xla(x, windows=windows, shape=shape), x)(y)[0]


# --- By the library ----------------------------------------------------------------------------------------------------------


def _fits(shape: tuple[int, ...], dtype: Any, windows: Windows) -> bool:
    """Returns whether the library takes sums of windows over these images, and computes them and their transpose faster.

    Windows that overlap take it 0.08 to 0.75 of XLA's time, others 0.66 to 12 (9 shapes, one core, AVX-512); XLA is faster with
    fewer channels than it adds at a time.
    """
    around = windows.padding[1:-1]
    return (
        dtype == jnp.float32
        and len(shape) in (3, 4, 5)
        and 0 not in (*shape, *windows.counts(shape))
        and shape[-1] >= _LANES
        and any(w > s for w, s in zip(windows.size, windows.strides, strict=True))
        and all(each[i] == 1 for each in (windows.size, windows.strides) for i in (0, -1))
        and all(windows.padding[i] == (0, 0) for i in (0, -1))
        and all(d == 1 for d in windows.dilation)
        and all(0 <= p < w for w, pair in zip(windows.size[1:-1], around, strict=True) for p in pair)
    )


def _called(target: str, result: Any, windows: Windows) -> Callable[..., Any]:
    low, high = zip(*windows.padding[1:-1], strict=True)
    given = {"size": windows.size[1:-1], "strides": windows.strides[1:-1], "low": low, "high": high}
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(result.shape, result.dtype))
    return lambda operand: call(operand, **{name: np.asarray(row, np.int64) for name, row in given.items()})


def _lowered(target: str, by_xla: Callable[..., Any], context: Any, operand: Any, **params: Any) -> Any:
    (given,), (result,) = context.avals_in, context.avals_out
    by: Callable[..., Any] = functools.partial(by_xla, **params)
    if has_kernels() and runs_here_as_it_is(context) and _fits(params["shape"], given.dtype, params["windows"]):
        by = _called(target, result, params["windows"])
    return mlir.lower_fun(by, multiple_results=False)(context, operand)


# --- Shapes, derivatives, batches --------------------------------------------------------------------------------------------


def _result_shape(x: Any, *_: Any, windows: Windows, shape: tuple[int, ...]) -> Any:
    return x.update(shape=windows.counts(shape), weak_type=False)


def _image_shape(y: Any, *_: Any, windows: Windows, shape: tuple[int, ...]) -> Any:
    return y.update(shape=shape, weak_type=False)


def _jvp(primitive: xc.Primitive, primals: Any, tangents: Any, **params: Any) -> Any:
    """The tangent of what is linear in its first operand; the second one, if there is one, is of integers."""
    change, others = tangents[0], primals[1:]
    result = primitive.bind(*primals, **params)
    if type(change) is ad.Zero:
        return result, ad.Zero(jax.typeof(result).to_tangent_aval())
    return result, primitive.bind(change, *others, **params)


def _transpose(primitive: xc.Primitive, cotangent: Any, operand: Any, *others: Any, **params: Any) -> Any:
    return [primitive.bind(cotangent, *others, **params), *(None for _ in others)]


def _batched(primitive: xc.Primitive, operands: Any, dimensions: Any, *, windows: Windows, **params: Any) -> Any:
    """A batch of calls is a call in which the batch is one more dimension before all others, in windows of one."""
    size = next(v.shape[d] for v, d in zip(operands, dimensions, strict=True) if d is not None)
    values = [
        jnp.broadcast_to(v, (size, *v.shape)) if d is None else jnp.moveaxis(v, d, 0)
        for v, d in zip(operands, dimensions, strict=True)
    ]
    folded = windows.size[0] == windows.strides[0] == 1 and windows.padding[0] == (0, 0)
    if folded:  # into the dimension of the images
        values = [v.reshape(-1, *v.shape[2:]) for v in values]
        params = {name: (size * shape[0], *shape[1:]) for name, shape in params.items()}
    else:
        windows = Windows((1, *windows.size), (1, *windows.strides), ((0, 0), *windows.padding), (1, *windows.dilation))
        params = {name: (size, *shape) for name, shape in params.items()}
    made = primitive.bind(*values, windows=windows, **params)
    return made.reshape(size, -1, *made.shape[1:]) if folded else made, 0


def _define(primitive: xc.Primitive, other: xc.Primitive, shape_of: Any, by_xla: Any, target: str | None) -> None:
    """Tells JAX of a primitive that is linear in its first operand.

    other: its transpose.
    target: the call of the library's for it, if there is one.
    """
    on_cpus = None if target is None else functools.partial(_lowered, target, by_xla)
    define(primitive, shape_of, by_xla, on_cpus)
    ad.primitive_jvps[primitive] = functools.partial(_jvp, primitive)
    ad.primitive_transposes[primitive] = functools.partial(_transpose, other)
    batching.primitive_batchers[primitive] = functools.partial(_batched, primitive)


_define(take_places_p, put_places_p, _result_shape, _take_by_xla, None)
_define(put_places_p, take_places_p, _image_shape, _put_by_xla, None)
_define(sum_windows_p, spread_windows_p, _result_shape, _sum_by_xla, SUM_WINDOWS)
_define(spread_windows_p, sum_windows_p, _image_shape, _spread_by_xla, SPREAD_WINDOWS)
