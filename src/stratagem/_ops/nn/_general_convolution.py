"""General convolution, of which those of `tf.nn` are cases: from TensorFlow's arguments to one call of `lax`."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import ShapeLike
from stratagem._ops._convert import Tensor, allow_x64, operands, static_shape, tensor
from stratagem._ops.nn._windows import (
    DimensionOrder,
    check_fit,
    dilated,
    layout_of,
    padded,
    padding_of,
    spatial_numbers,
)


class WindowSteps(NamedTuple):
    """The places of the windows of a convolution on its input, in TensorFlow's arguments."""

    strides: Any
    padding: Any
    data_format: str | None
    dilations: Any = None


def convolve(name: str, value: Any, filters: Any, steps: WindowSteps, rank: int) -> Tensor:
    """The convolution of tensors of one dtype; what is before the last rank + 1 dimensions of the input is its batch.

    Raises InvalidArgumentError for shapes that do not fit.
    """
    array, kernel = operands(name, tensor(value), filters)
    layout = layout_of(name, steps.data_format, rank)
    if kernel.ndim != rank + 2 or array.ndim < rank + 2:
        raise _misfit(name, array, kernel)
    batch = array.shape[: array.ndim - rank - 1]
    flat = array.reshape(math.prod(batch), *array.shape[len(batch) :])
    channels = flat.shape[layout.channels]
    if 0 in kernel.shape or channels % kernel.shape[-2] or kernel.shape[-1] % (channels // kernel.shape[-2]):
        raise _misfit(name, array, kernel)
    result = _general(name, flat, kernel, steps, layout)
    return result.reshape(*batch, *result.shape[1:])


def _misfit(name: str, array: Tensor, kernel: Tensor) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"tf.{name}: filters of shape {kernel.shape} do not fit an input of shape {array.shape}. They are (sizes..., "
        "channels of a group, channels of the output): the groups divide the channels of input and output evenly."
    )


def _general(name: str, array: Tensor, kernel: Tensor, steps: WindowSteps, layout: DimensionOrder) -> Tensor:
    """The convolution of one batch with as many groups as the channels of the filters make of those of the input."""
    strides = spatial_numbers(steps.strides, layout, "strides")
    gaps = spatial_numbers(1 if steps.dilations is None else steps.dilations, layout, "dilations")
    sizes, windows = layout.spatial(array.shape), dilated(kernel.shape[:-2], gaps)
    pads = padded(padding_of(steps.padding, layout), sizes, windows, strides)
    check_fit(f"tf.{name}", sizes, windows, pads)
    return jax.lax.conv_general_dilated(
        array,
        kernel,
        strides,
        pads,
        rhs_dilation=gaps,
        dimension_numbers=(layout.letters, f"{layout.spatial_letters}IO", layout.letters),
        feature_group_count=array.shape[layout.channels] // kernel.shape[-2],
    )


def convolve_depthwise(name: str, array: Tensor, filters: Tensor, steps: WindowSteps) -> Tensor:
    """The convolution of every channel with its own filters: (n, h, w, c) with filters (h, w, c, m) gives c * m channels."""
    if filters.ndim != 4 or array.ndim != 4:
        raise _misfit(name, array, filters)
    height, width, channels, each = filters.shape
    if array.shape[layout_of(name, steps.data_format, 2).channels] != channels:
        raise _misfit(name, array, filters)
    flat = filters.reshape(height, width, 1, channels * each)
    return convolve(name, array, flat, steps, 2)


def transposed(name: str, forward: Callable[[Tensor], Tensor], shape: ShapeLike, gradient: Tensor) -> Tensor:
    """The transpose of a linear function of a tensor of this shape, at `gradient`: one convolution if it is one.

    Raises InvalidArgumentError if the function gives another shape than that of `gradient`.
    """
    with allow_x64(gradient.dtype):
        like = jax.ShapeDtypeStruct(static_shape(shape), gradient.dtype)
        expected = jax.eval_shape(forward, like).shape
    if gradient.shape != expected:
        raise InvalidArgumentError(
            f"tf.{name}: a tensor of shape {tuple(gradient.shape)} was given; with these sizes, strides and padding it has "
            f"the shape {tuple(expected)}."
        )
    with allow_x64(gradient.dtype):
        result: Tensor = jax.linear_transpose(forward, like)(gradient)[0]
    return result
