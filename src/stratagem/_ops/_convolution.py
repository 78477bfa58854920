"""Convolution and pooling under the names of `tf.nn`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import IntLike, TensorLike
from stratagem._ops._convert import Tensor, allow_x64, operands, tensor
from stratagem._ops._symbolic import accept_symbols

_Padding = str | list[tuple[int, int]]


def _spatial(value: Any, rank: int, channels_first: bool) -> tuple[int, ...]:
    """One number per spatial dimension, from TF's three forms: a number, one each, or one each including batch and channels."""
    numbers = [int(value)] if isinstance(value, int | np.integer) else [int(v) for v in value]
    if len(numbers) == 1:
        numbers = numbers * rank
    if len(numbers) == rank + 2:
        outer = numbers[:2] if channels_first else [numbers[0], numbers[-1]]
        if outer != [1, 1]:
            raise InvalidArgumentError(f"Windows and strides over batch or channels are not supported, got {numbers}.")
        numbers = numbers[2:] if channels_first else numbers[1:-1]
    if len(numbers) != rank:
        raise ValueError(f"Expected one number, {rank} or {rank + 2}, got {value!r}.")
    return tuple(numbers)


def _padding(padding: Any, channels_first: bool) -> _Padding:
    """SAME, VALID, or (before, after) of each spatial dimension, from TF's list that includes batch and channels."""
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding is 'SAME', 'VALID' or a list of pairs, got {padding!r}.")
        return padding.upper()
    pairs = [(int(before), int(after)) for before, after in padding]
    return pairs[2:] if channels_first else pairs[1:-1]


def _channels_first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _convolve(
    name: str, value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, rank: int
) -> Tensor:
    array, kernel = operands(name, tensor(value), filters)
    first = _channels_first(data_format)
    letters = "DHW"[3 - rank :]
    layout = f"NC{letters}" if first else f"N{letters}C"
    channels = array.shape[1 if first else -1]
    if kernel.ndim != rank + 2 or array.ndim != rank + 2 or channels % kernel.shape[-2]:
        raise ValueError(f"tf.{name}: a filter of shape {kernel.shape} does not fit an input of shape {array.shape}.")
    return jax.lax.conv_general_dilated(
        array,
        kernel,
        _spatial(strides, rank, first),
        _padding(padding, first),
        rhs_dilation=_spatial(1 if dilations is None else dilations, rank, first),
        dimension_numbers=(layout, f"{letters}IO", layout),
        feature_group_count=channels // kernel.shape[-2],
    )


def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: IntLike,
    padding: IntLike,
    data_format: str = "NWC",
    dilations: IntLike = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over one dimension: (n, w, c) with filters (w, c, out)."""
    return _convolve("nn.conv1d", input, filters, stride, padding, data_format, dilations, 1)


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str = "NHWC",
    dilations: IntLike = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over two dimensions: (n, h, w, c) with filters (h, w, c, out)."""
    return _convolve("nn.conv2d", input, filters, strides, padding, data_format, dilations, 2)


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str = "NDHWC",
    dilations: IntLike = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over three dimensions: (n, d, h, w, c) with filters (d, h, w, c, out)."""
    return _convolve("nn.conv3d", input, filters, strides, padding, data_format, dilations, 3)


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str | None = None,
    dilations: IntLike = None,
    name: str | None = None,
) -> Tensor:
    """Convolves every channel with its own filters: (n, h, w, c) with filters (h, w, c, m) gives c * m channels."""
    kernel = tensor(filter)
    height, width, channels, each = kernel.shape
    flat = kernel.reshape(height, width, 1, channels * each)
    return _convolve("nn.depthwise_conv2d", input, flat, strides, padding, data_format, dilations, 2)


# --- Pooling ----------------------------------------------------------------------------------------------------------


def _pool(
    value: Any, reducer: Any, start: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None
) -> tuple[Tensor, Tensor]:
    """The reduced windows, and the number of entries in each window."""
    array, first = tensor(value), _channels_first(data_format)
    rank = array.ndim - 2
    window, step = ((1, 1, *s) if first else (1, *s, 1) for s in (_spatial(n, rank, first) for n in (ksize, strides)))
    pads = _padding(padding, first)
    full_pads = pads if isinstance(pads, str) else [(0, 0), (0, 0), *pads] if first else [(0, 0), *pads, (0, 0)]
    begin = np.asarray(start, array.dtype)
    ones = np.ones((1, 1, *array.shape[2:]) if first else (1, *array.shape[1:-1], 1), array.dtype)
    counts = jax.lax.reduce_window(ones, np.zeros((), array.dtype), jax.lax.add, window, step, full_pads)
    with allow_x64(array.dtype):
        return jax.lax.reduce_window(array, begin, reducer, window, step, full_pads), counts


def max_pool(
    input: TensorLike,
    ksize: IntLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest entry of each window; any number of spatial dimensions."""
    array = tensor(input)
    lowest = -np.inf if jnp.issubdtype(array.dtype, np.floating) else jnp.iinfo(array.dtype).min
    return _pool(array, jax.lax.max, lowest, ksize, strides, padding, data_format)[0]


def avg_pool(
    input: TensorLike,
    ksize: IntLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window without padding; any number of spatial dimensions."""
    total, count = _pool(input, jax.lax.add, 0, ksize, strides, padding, data_format)
    return total / count


def max_pool2d(
    input: TensorLike,
    ksize: IntLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest entry of each window of (n, h, w, c)."""
    return max_pool(input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: TensorLike,
    ksize: IntLike,
    strides: IntLike,
    padding: IntLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of (n, h, w, c), without padding."""
    return avg_pool(input, ksize, strides, padding, data_format)


accept_symbols(globals())
