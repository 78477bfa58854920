"""Convolutions as three bilinear primitives: forward, of the input and of the filters.

A convolution relates images x, filters w and results y. Each primitive computes one of the three from the other two, and is
linear in both. The derivatives of each are the other two, so `jvp`, `vjp`, and derivatives of any order are programs of
these three.
"""

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._kernels._library import (
    CONVOLUTION,
    CONVOLUTION_OF_FILTERS,
    CONVOLUTION_OF_INPUT,
    computes,
    has_kernels,
    library,
)
from stratagem._kernels._primitives import define
from stratagem._kernels._windows import Windows
from stratagem._private import runs_here_as_it_is

convolution_p = xc.Primitive("convolution")
convolution_of_input_p = xc.Primitive("convolution_of_input")
convolution_of_filters_p = xc.Primitive("convolution_of_filters")


@final
@dataclass(frozen=True)
class Geometry:
    """A convolution of channels-last arrays, but for its batch and channels.

    sizes: of the images, in each dimension of places. There are one to three.
    window: sizes of the filters' window.
    strides, dilation: of windows, and of elements of a window, in places.
    padding: zeros before and after the images, in each dimension; not negative.
    groups: of channels.
    """

    sizes: tuple[int, ...]
    window: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    groups: int

    def results(self) -> tuple[int, ...]:
        """Returns how many windows there are in each dimension."""
        return Windows(self.window, self.strides, self.padding, self.dilation).counts(self.sizes)


def channels_last(rank: int) -> jax.lax.ConvDimensionNumbers:
    """Returns TensorFlow's order of dimensions: (batch, places..., channels) and (window..., channels in, channels out)."""
    data = (0, rank - 1, *range(1, rank - 1))
    return jax.lax.ConvDimensionNumbers(data, (rank - 1, rank - 2, *range(rank - 2)), data)


def convolve(x: jax.Array, w: jax.Array, geometry: Geometry) -> jax.Array:
    """Returns y, shaped (batch, places..., channels out).

    Args:
        x: (batch, places..., channels in), of floats. The library computes float32, and bfloat16 where the processor does.
        w: (window..., channels in / groups, channels out), of the same dtype.
        geometry: of the convolution.
    """
    return convolution_p.bind(x, w, geometry=geometry)


def convolve_of_input(y: jax.Array, w: jax.Array, geometry: Geometry) -> jax.Array:
    """Returns the transpose of `convolve` in x at the cotangent y: a transposed convolution. Shaped as x."""
    return convolution_of_input_p.bind(y, w, geometry=geometry)


def convolve_of_filters(x: jax.Array, y: jax.Array, geometry: Geometry) -> jax.Array:
    """Returns the transpose of `convolve` in w at the cotangent y. Shaped as w."""
    return convolution_of_filters_p.bind(x, y, geometry=geometry)


# --- By XLA ------------------------------------------------------------------------------------------------------------------


def _by_xla(x: jax.Array, w: jax.Array, *, geometry: Geometry) -> jax.Array:
    return jax.lax.conv_general_dilated(
        x,
        w,
        geometry.strides,
        geometry.padding,
        rhs_dilation=geometry.dilation,
        dimension_numbers=channels_last(x.ndim),
        feature_group_count=geometry.groups,
    )


def _of_input_by_xla(y: jax.Array, w: jax.Array, *, geometry: Geometry) -> jax.Array:
    x = _images(jax.typeof(y), w, geometry=geometry)
    return jax.linear_transpose(lambda x: _by_xla(x, w, geometry=geometry), x)(y)[0]


def _of_filters_by_xla(x: jax.Array, y: jax.Array, *, geometry: Geometry) -> jax.Array:
    w = _filters(jax.typeof(x), y, geometry=geometry)
    return jax.linear_transpose(lambda w: _by_xla(x, w, geometry=geometry), w)(y)[0]


# --- Shapes ------------------------------------------------------------------------------------------------------------------


def _results(x: Any, w: Any, *, geometry: Geometry) -> Any:
    return x.update(shape=(x.shape[0], *geometry.results(), w.shape[-1]), weak_type=False)


def _images(y: Any, w: Any, *, geometry: Geometry) -> Any:
    return y.update(shape=(y.shape[0], *geometry.sizes, w.shape[-2] * geometry.groups), weak_type=False)


def _filters(x: Any, y: Any, *, geometry: Geometry) -> Any:
    return x.update(shape=(*geometry.window, x.shape[-1] // geometry.groups, y.shape[-1]), weak_type=False)


# --- By the library ----------------------------------------------------------------------------------------------------------

_FORWARD: Final = 0
_OF_INPUT: Final = 1
_OF_FILTERS: Final = 2
_TARGETS: Final = (CONVOLUTION, CONVOLUTION_OF_INPUT, CONVOLUTION_OF_FILTERS)
_FEW_CHANNELS: Final = 16

Shape = tuple[int, ...]


def _workspace(kind: int, shapes: Sequence[Shape], dtype: Any, geometry: Geometry) -> int | None:
    """Returns how many bytes of memory a call needs; None if oneDNN cannot compute it, or is slower than XLA.

    shapes: of images, filters and results.
    """
    loaded = library()
    if loaded is None or not computes(dtype) or any(0 in shape for shape in shapes):
        return None
    if kind == _OF_INPUT and _is_of_few_channels(shapes[0][-1], geometry):
        return None
    if kind == _OF_FILTERS and not loaded.stratagem_has_avx512() and _sums_little(shapes, geometry):
        return None
    rows = [*shapes, geometry.strides, *zip(*geometry.padding, strict=True), geometry.dilation]
    numbers = [(ctypes.c_int64 * len(row))(*row) for row in rows]
    needed = ctypes.c_int64()
    why = loaded.stratagem_workspace(
        ctypes.c_int64(kind),
        ctypes.c_int(str(dtype) == "bfloat16"),
        ctypes.c_int64(len(shapes[0])),
        *numbers,
        ctypes.c_int64(geometry.groups),
        ctypes.byref(needed),
    )
    return None if why else needed.value


def _is_of_few_channels(channels_in: int, geometry: Geometry) -> bool:
    """Returns whether XLA computes a gradient of the input faster: of small windows some steps apart in images of few channels.

    For 3 to 16 channels it took oneDNN 1.1 to 2.1 times as long. All other kinds and shapes take 0.01 to 0.99 of XLA's time,
    but for large filters and small images, which are products (32 shapes, one core, AVX-512). Windows of twice the stride or
    more, or wider than the results, XLA computes in naive loops.
    """
    sizes = list(zip(geometry.window, geometry.results(), geometry.strides, strict=True))
    small = all(k <= n for k, n, _ in sizes) and any(k < 2 * s for k, _, s in sizes)
    strided = geometry.groups == 1 and len(sizes) == 2 and max(geometry.strides) > 1
    return strided and small and channels_in <= _FEW_CHANNELS


def _sums_little(shapes: Sequence[Shape], geometry: Geometry) -> bool:
    """Returns whether XLA computes a gradient of filters faster than oneDNN's kernels for AVX2.

    For signals they took 1.2 to 1.6 of XLA's time, and of images, where fewer than two results are summed for each weight of a
    channel out, 1.1 to 1.45; others 0.01 to 0.99 (19 shapes, one core, both limited to AVX2 on a Zen 5 EPYC).
    """
    images, filters, results = shapes
    sums, weights = math.prod(results[:-1]), math.prod(filters[:-1])
    return geometry.groups == 1 and (len(images) == 3 or sums < 2 * weights)


def _call(kind: int, first: jax.Array, second: jax.Array, result: Any, workspace: int, geometry: Geometry) -> jax.Array:
    low, high = zip(*geometry.padding, strict=True)
    call = jax.ffi.ffi_call(
        _TARGETS[kind],
        (jax.ShapeDtypeStruct(result.shape, result.dtype), jax.ShapeDtypeStruct((workspace,), jnp.uint8)),
    )
    return call(
        first,
        second,
        strides=np.asarray(geometry.strides, np.int64),
        low=np.asarray(low, np.int64),
        high=np.asarray(high, np.int64),
        dilation=np.asarray(geometry.dilation, np.int64),
        groups=np.int64(geometry.groups),
    )[0]


def _lowered(kind: int, by_xla: Callable[..., jax.Array], context: Any, *operands: Any, geometry: Geometry) -> Any:
    first, second = context.avals_in
    result = context.avals_out[0]
    by: Callable[..., jax.Array] = functools.partial(by_xla, geometry=geometry)
    if has_kernels() and runs_here_as_it_is(context):
        three = {
            _FORWARD: (first, second, result),
            _OF_INPUT: (result, second, first),
            _OF_FILTERS: (first, result, second),
        }
        workspace = _workspace(kind, [each.shape for each in three[kind]], result.dtype, geometry)
        if workspace is not None:
            by = functools.partial(_call, kind, result=result, workspace=workspace, geometry=geometry)
    return mlir.lower_fun(by, multiple_results=False)(context, *operands)


# --- Batches of calls --------------------------------------------------------------------------------------------------------


def _joined(values: jax.Array, axis: int, outer: int) -> jax.Array:
    """Returns an array whose first axis has become part of a later one.

    axis: the later one, negative. Its elements are `outer` groups, and the first axis comes between groups and their elements.
    """
    at = values.ndim + axis
    split = values.reshape(*values.shape[:at], outer, values.shape[at] // outer, *values.shape[at + 1 :])
    moved = jnp.moveaxis(split, 0, axis - 1)
    shape = list(values.shape[1:])
    shape[axis] *= values.shape[0]
    return moved.reshape(shape)


def _parted(values: jax.Array, axis: int, outer: int, size: int) -> jax.Array:
    """Returns the array that `_joined` makes these values of. size: of its first axis."""
    at = values.ndim + axis
    inner = values.shape[at] // (outer * size)
    split = values.reshape(*values.shape[:at], outer, size, inner, *values.shape[at + 1 :])
    moved = jnp.moveaxis(split, at + 1, 0)
    shape = list(values.shape)
    shape[at] = outer * inner
    return moved.reshape(size, *shape)


def _batched(bind: Callable[..., jax.Array], roles: str, operands: Any, dimensions: Any, *, geometry: Geometry) -> Any:
    """Returns one call for those of a batch, and the axis of its result along which they lie.

    roles: which of x, w and y the operands and the result are. Where all three have the batch it becomes groups; where two, an
    axis of both: of x and y their batch, of w and y the channels out, of x and w the channels in.
    """
    size = next(v.shape[d] for v, d in zip(operands, dimensions, strict=True) if d is not None)
    have = "".join(sorted({roles[2], *(role for role, d in zip(roles, dimensions, strict=False) if d is not None)}))
    groups = geometry.groups
    # For x, w and y: along which axis, negative, and how many groups of its elements come before.
    rank = len(geometry.sizes) + 2
    axes = {
        "xy": {"x": (-rank, 1), "y": (-rank, 1)},
        "wy": {"w": (-1, groups), "y": (-1, groups)},
        "wx": {"w": (-2, 1), "x": (-1, groups)},
        "wxy": {"x": (-1, 1), "w": (-1, 1), "y": (-1, 1)},
    }[have]
    values = [
        v if d is None else _joined(jnp.moveaxis(v, d, 0), *axes[role])
        for role, v, d in zip(roles, operands, dimensions, strict=False)
    ]
    if have == "wxy":
        geometry = Geometry(**{**vars(geometry), "groups": groups * size})
    return _parted(bind(*values, geometry=geometry), *axes[roles[2]], size), 0


# --- The primitives ----------------------------------------------------------------------------------------------------------


def _define(
    primitive: xc.Primitive, kind: int, roles: str, shape_of: Any, by_xla: Any, transposes: tuple[Any, Any]
) -> None:
    """Tells JAX of a primitive.

    roles: which of x, w and y its operands and its result are.
    shape_of, by_xla: its result's shape and dtype, and the result, for operands and a geometry.
    transposes: in the two operands, for the result's cotangent.
    """
    define(primitive, shape_of, by_xla, functools.partial(_lowered, kind, by_xla))
    ad.defbilinear(primitive, *transposes)
    batching.primitive_batchers[primitive] = functools.partial(_batched, primitive.bind, roles)


_define(
    convolution_p,
    _FORWARD,
    "xwy",
    _results,
    _by_xla,
    (
        lambda y, x, w, *, geometry: convolve_of_input(y, w, geometry),
        lambda y, x, w, *, geometry: convolve_of_filters(x, y, geometry),
    ),
)
_define(
    convolution_of_input_p,
    _OF_INPUT,
    "ywx",
    _images,
    _of_input_by_xla,
    (
        lambda x, y, w, *, geometry: convolve(x, w, geometry),
        lambda x, y, w, *, geometry: convolve_of_filters(x, y, geometry),
    ),
)
_define(
    convolution_of_filters_p,
    _OF_FILTERS,
    "xyw",
    _filters,
    _of_filters_by_xla,
    (
        lambda w, x, y, *, geometry: convolve_of_input(y, w, geometry),
        lambda w, x, y, *, geometry: convolve(x, w, geometry),
    ),
)
