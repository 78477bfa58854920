"""Pooling under the names of `tf.nn`: the maximum or the mean of windows."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.connected import connected
from stratagem._core.derivatives import volume_pool
from stratagem._kernels import Windows
from stratagem._ops._convert import Tensor, allow_x64, tensor
from stratagem._ops._dtypes import as_dtype, int64
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._windows import (
    DimensionOrder,
    check_fit,
    dilated,
    entries,
    layout_of,
    numbers,
    padded,
    padding_of,
)
from stratagem._private import replace_pools

_VOLUMES = 5  # dimensions


class _Windows(NamedTuple):
    """Windows of a tensor: a number, or a padding in numbers, for each dimension."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    dilations: tuple[int, ...]


def _windows(
    name: str, array: Tensor, layout: DimensionOrder, ksize: Any, strides: Any, padding: Any, dilations: Any = 1
) -> _Windows:
    sizes, steps, gaps = (
        numbers(value, layout, what)
        for value, what in ((ksize, "ksize"), (strides, "strides"), (dilations, "dilations"))
    )
    if sizes[0] != 1 or steps[0] != 1:
        raise InvalidArgumentError(
            f"Windows of a pooling are of one example each, got ksize {ksize!r}, strides {strides!r}."
        )
    windows = layout.spatial(dilated(sizes, gaps))
    own = layout.spatial(array.shape)
    pads = padded(padding_of(padding, layout), own, windows, layout.spatial(steps))
    check_fit(name, own, windows, pads)
    return _Windows(sizes, steps, layout.whole(pads, (0, 0), (0, 0)), gaps)


def _images(name: str, value: Any, data_format: str | None) -> tuple[Tensor, DimensionOrder]:
    array = tensor(value)
    if not 3 <= array.ndim <= 5:
        raise InvalidArgumentError(f"tf.{name} takes tensors of 3 to 5 dimensions, got the shape {array.shape}.")
    return array, layout_of(name, data_format, array.ndim - 2)


def _max(array: Tensor, windows: _Windows) -> Tensor:
    if jnp.issubdtype(array.dtype, np.complexfloating) or array.dtype == np.bool_:
        raise InvalidArgumentError(f"Max pooling takes real numbers, got {array.dtype}.")
    number = -np.inf if jnp.issubdtype(array.dtype, np.floating) else jnp.iinfo(array.dtype).min
    lowest = np.asarray(number, array.dtype)
    with allow_x64(array.dtype):
        if array.ndim == _VOLUMES and jnp.issubdtype(array.dtype, np.floating):
            return volume_pool(array, Windows(windows.sizes, windows.strides, windows.pads, windows.dilations))
        if max(windows.dilations) > 1:
            return _max_of_entries(array, windows)
        return jax.lax.reduce_window(array, lowest, jax.lax.max, windows.sizes, windows.strides, windows.pads)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _max_of_entries(array: Tensor, windows: _Windows) -> Tensor:
    """The largest entry of each window with gaps, of which JAX's own maximum has no derivative."""
    return _entrywise(array, windows)


@_max_of_entries.defjvp
def _max_of_entries_rule(windows: _Windows, primals: tuple[Tensor], tangents: tuple[Tensor]) -> tuple[Tensor, Tensor]:
    change = jax.jvp(functools.partial(_entrywise, windows=windows), primals, tangents)[1]
    largest = _max_of_entries(*primals, windows)
    return largest, connected(change, *primals, largest)


def _entrywise(array: Tensor, windows: _Windows) -> Tensor:
    floating = jnp.issubdtype(array.dtype, np.floating)
    lowest = np.asarray(-np.inf if floating else jnp.iinfo(array.dtype).min, array.dtype)
    whole = jax.lax.pad(array, lowest, [(*pad, 0) for pad in windows.pads])
    found = entries(whole, windows.sizes, windows.strides, windows.dilations)
    # The first of equal ones: `jnp.maximum` would share the gradient among them.
    return functools.reduce(lambda a, b: jnp.where(b > a, b, a), found)


def _mean(array: Tensor, windows: _Windows) -> Tensor:
    """The mean of each window without padding; half precision is summed in float32."""
    if not jnp.issubdtype(array.dtype, np.floating):
        raise InvalidArgumentError(f"Average pooling takes floating-point tensors, got {array.dtype}. Use tf.cast.")
    wide = array.astype(jnp.promote_types(array.dtype, np.float32))
    with allow_x64(array.dtype):
        total = jax.lax.reduce_window(
            wide,
            np.zeros((), wide.dtype),
            jax.lax.add,
            windows.sizes,
            windows.strides,
            windows.pads,
            window_dilation=windows.dilations,
        )
    return (total / _counts(array.shape, windows).astype(wide.dtype)).astype(array.dtype)


def _counts(shape: Sequence[int], windows: _Windows) -> np.ndarray:
    """The number of entries in each window, from the shape alone: a product of one vector for each dimension."""
    vectors = []
    for size, window, stride, (before, after), gap in zip(shape, *windows, strict=True):
        count = max((size + before + after - ((window - 1) * gap + 1)) // stride + 1, 0)
        places = np.arange(count)[:, None] * stride - before + np.arange(window) * gap
        inside = ((places >= 0) & (places < size)).sum(1)
        vectors.append(inside[:1] if len(set(inside.tolist())) == 1 else inside)
    return functools.reduce(np.multiply.outer, vectors)


# --- Names of TensorFlow ----------------------------------------------------------------------------------------------


@exported("nn.max_pool", v1=())
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest entry of each window; one to three spatial dimensions. Its gradient goes to the first of equal entries.

    A NaN is the largest entry. ksize, strides: one number, one for each spatial dimension, or one for each dimension; windows
    may also be over channels.
    padding: 'SAME', 'VALID', or a pair (before, after) for each dimension.
    """
    array, layout = _images("nn.max_pool", input, data_format)
    return _max(array, _windows("tf.nn.max_pool", array, layout, ksize, strides, padding))


@exported("nn.avg_pool", v1=())
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window without padding; otherwise as `max_pool`. Raises InvalidArgumentError for integers."""
    array, layout = _images("nn.avg_pool", input, data_format)
    return _mean(array, _windows("tf.nn.avg_pool", array, layout, ksize, strides, padding))


def attach_pools() -> None:
    """Let Keras' pools refuse windows that do not fit, and those of volumes have the gradients of TensorFlow's."""

    def pool(array: Tensor, pool_size: Any, strides: Any, padding: str, data_format: str) -> Tensor:
        layout = "NDHWC" if data_format == "channels_last" else "NCDHW"
        return max_pool(array, pool_size, strides, padding.upper(), layout)

    def check(shape: Sequence[int], pool_size: Any, padding: str, data_format: str) -> None:
        spatial = shape[1:-1] if data_format == "channels_last" else shape[2:]
        windows = [pool_size] * len(spatial) if isinstance(pool_size, int) else list(pool_size)
        if padding == "valid" and len(windows) == len(spatial):
            check_fit("A pooling layer", spatial, windows, [(0, 0)] * len(spatial))

    replace_pools(pool, check)


@exported("nn.max_pool1d")
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest entry of each window of (n, w, c)."""
    return max_pool(_of_rank("max_pool1d", input, 1), ksize, strides, padding, data_format)


@exported("nn.max_pool2d")
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest entry of each window of (n, h, w, c)."""
    return max_pool(_of_rank("max_pool2d", input, 2), ksize, strides, padding, data_format)


@exported("nn.max_pool3d")
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest entry of each window of (n, d, h, w, c)."""
    return max_pool(_of_rank("max_pool3d", input, 3), ksize, strides, padding, data_format)


@exported("nn.avg_pool1d")
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (n, w, c), without padding."""
    return avg_pool(_of_rank("avg_pool1d", input, 1), ksize, strides, padding, data_format)


@exported("nn.avg_pool2d", v1=())
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (n, h, w, c), without padding."""
    return avg_pool(_of_rank("avg_pool2d", input, 2), ksize, strides, padding, data_format)


@exported("nn.avg_pool3d")
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (n, d, h, w, c), without padding."""
    return avg_pool(_of_rank("avg_pool3d", input, 3), ksize, strides, padding, data_format)


def _of_rank(name: str, value: Any, rank: int) -> Tensor:
    array = tensor(value)
    if array.ndim != rank + 2:
        raise InvalidArgumentError(f"tf.nn.{name} takes tensors of {rank + 2} dimensions, got the shape {array.shape}.")
    return array


@exported("nn.pool", v1=())
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The maximum ("MAX") or mean ("AVG") of windows whose entries may be `dilations` apart, over one to three dimensions.

    Raises ValueError for another type, and for strides that skip entries.
    """
    array, layout = _images("nn.pool", input, data_format)
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"pooling_type is 'MAX' or 'AVG', got {pooling_type!r}.")
    steps, gaps = (1 if value is None else value for value in (strides, dilations))
    windows = _windows("tf.nn.pool", array, layout, window_shape, steps, padding, gaps)
    if any(step > size for step, size in zip(windows.strides, windows.sizes, strict=True)):
        raise ValueError(f"strides are not larger than window_shape, got {strides!r} and {window_shape!r}.")
    return (_max if pooling_type == "MAX" else _mean)(array, windows)


class MaxPoolWithArgmax(NamedTuple):
    """The largest entry of each window, and its place in the flat image."""

    output: Tensor
    argmax: Tensor


@exported("nn.max_pool_with_argmax", v1=())
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """The largest entry of each window of (n, h, w, c), and its place (y * w + x) * c + channel: the first of equal ones.

    include_batch_in_index: places count through the whole batch. Raises ValueError for another layout than NHWC.
    """
    if data_format != "NHWC":
        raise ValueError(f"tf.nn.max_pool_with_argmax: data_format is 'NHWC', got {data_format!r}.")
    array = _of_rank("max_pool_with_argmax", input, 2)
    windows = _windows(
        "tf.nn.max_pool_with_argmax",
        array,
        layout_of("nn.max_pool_with_argmax", data_format, 2),
        ksize,
        strides,
        padding,
    )
    places = _places_of_largest(jax.lax.stop_gradient(array), windows)
    output = array.reshape(-1)[places]
    if not include_batch_in_index:
        image = np.prod(array.shape[1:], dtype=int)
        places = places - (np.arange(array.shape[0], dtype=np.int32) * image)[:, None, None, None]
    return MaxPoolWithArgmax(output, places.astype(as_dtype(output_dtype).dtype))


def _places_of_largest(array: Tensor, windows: _Windows) -> Tensor:
    """The place in the whole tensor of each window's largest entry, the first of equal ones; int32."""
    nowhere = np.int32(np.iinfo(np.int32).max)
    places = jnp.arange(array.size, dtype=np.int32).reshape(array.shape)

    def larger(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        (a, at), (b, bt) = first, second
        chosen = (at == nowhere) | ((bt != nowhere) & ((b > a) | ((b == a) & (bt < at))))
        return jnp.where(chosen, b, a), jnp.where(chosen, bt, at)

    start = (np.zeros((), array.dtype), nowhere)
    with allow_x64(array.dtype):
        return jax.lax.reduce_window((array, places), start, larger, windows.sizes, windows.strides, windows.pads)[1]


accept_symbols(globals())
