"""Windows without a kernel that multiplies: grayscale morphology of `tf.nn`, and `tf.extract_volume_patches`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, operands, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._windows import check_fit, dilated, entries, layout_of, padded, padding_of, spatial_numbers


@exported("nn.dilation2d", v1=())
def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The maximum over each window of (n, h, w, c) of input plus filter, with filters (h, w, c): grayscale dilation.

    Padding is never the maximum. strides, dilations: (1, h, w, 1). Raises ValueError for another layout than NHWC,
    InvalidArgumentError for shapes that do not fit.
    """
    array, kernel = operands("nn.dilation2d", tensor(input), filters)
    if data_format != "NHWC":
        raise ValueError(f"tf.nn.dilation2d: data_format is 'NHWC', got {data_format!r}.")
    if array.ndim != 4 or kernel.ndim != 3 or array.shape[-1] != kernel.shape[-1]:
        raise InvalidArgumentError(
            f"tf.nn.dilation2d takes an input (n, h, w, c) and filters (h, w, c), got {array.shape} and {kernel.shape}."
        )
    layout = layout_of("nn.dilation2d", data_format, 2)
    steps, gaps = spatial_numbers(strides, layout, "strides"), spatial_numbers(dilations, layout, "dilations")
    sizes = kernel.shape[:2]
    reach, own = dilated(sizes, gaps), layout.spatial(array.shape)
    pads = padded(padding_of(padding, layout), own, reach, steps)
    check_fit("tf.nn.dilation2d", own, reach, pads)
    lowest = -np.inf if jnp.issubdtype(array.dtype, np.floating) else jnp.iinfo(array.dtype).min
    with allow_x64(array.dtype):
        whole = jax.lax.pad(
            array, np.asarray(lowest, array.dtype), [(*p, 0) for p in layout.whole(pads, (0, 0), (0, 0))]
        )
        windows = entries(whole, *(layout.whole(numbers, 1, 1) for numbers in (sizes, steps, gaps)))
        summed = (entry + own for entry, own in zip(windows, kernel.reshape(-1, kernel.shape[-1]), strict=True))
        return functools.reduce(jnp.maximum, summed)


@exported("nn.erosion2d", v1=())
def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The minimum over each window of input less the mirrored filter: grayscale erosion. Otherwise as `dilation2d`."""
    array, kernel = operands("nn.erosion2d", tensor(value), filters)
    return -dilation2d(-array, kernel[::-1, ::-1], strides, padding, data_format, dilations)


@exported("extract_volume_patches")
def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None) -> Tensor:
    """The entries of each window of (n, d, h, w, c), one after the other: (n, d', h', w', size of the window * c).

    ksizes, strides: (1, d, h, w, 1). Raises InvalidArgumentError for another rank.
    """
    array = tensor(input)
    if array.ndim != 5:
        raise InvalidArgumentError(f"tf.extract_volume_patches takes (n, d, h, w, c), got the shape {array.shape}.")
    layout = layout_of("extract_volume_patches", None, 3)
    sizes, steps = spatial_numbers(ksizes, layout, "ksizes"), spatial_numbers(strides, layout, "strides")
    pads = padded(padding_of(padding, layout), layout.spatial(array.shape), sizes, steps)
    with allow_x64(array.dtype):
        whole = jnp.pad(array, layout.whole(pads, (0, 0), (0, 0)))
        windows = entries(whole, *(layout.whole(numbers, 1, 1) for numbers in (sizes, steps, (1, 1, 1))))
        return jnp.concatenate(list(windows), -1)


accept_symbols(globals())
