"""Transposed convolution under the names of `tf.nn`: the gradient of a convolution by its input, as a function."""

from typing import Any

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._ops._convert import Tensor, operands, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._general_convolution import WindowSteps, convolve, transposed


def _convolve_transposed(
    name: str,
    value: Any,
    filters: Any,
    output_shape: ShapeLike,
    steps: WindowSteps,
    rank: int,
) -> Tensor:
    array, kernel = operands(name, tensor(value), filters)
    shape = static_shape(output_shape)
    if len(shape) != rank + 2:
        raise ValueError(f"tf.{name}: output_shape has {rank + 2} numbers, got {list(shape)}.")

    def forward(result: Tensor) -> Tensor:
        return convolve(name, result, kernel, steps, rank)

    return transposed(name, forward, shape, array)


@exported("nn.conv1d_transpose")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`: (n, w, c) with filters (w, out, c) gives a tensor of `output_shape`, (n, w', out).

    Raises InvalidArgumentError if `conv1d` would not give the input's shape for a tensor of `output_shape`.
    """
    return _convolve_transposed(
        "nn.conv1d_transpose", input, filters, output_shape, WindowSteps(strides, padding, data_format, dilations), 1
    )


@exported("nn.conv2d_transpose", v1=())
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`, with filters (h, w, out, c); otherwise as `conv1d_transpose`."""
    return _convolve_transposed(
        "nn.conv2d_transpose", input, filters, output_shape, WindowSteps(strides, padding, data_format, dilations), 2
    )


@exported("nn.conv3d_transpose", v1=())
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d`, with filters (d, h, w, out, c); otherwise as `conv1d_transpose`."""
    return _convolve_transposed(
        "nn.conv3d_transpose", input, filters, output_shape, WindowSteps(strides, padding, data_format, dilations), 3
    )


@exported("nn.conv_transpose")
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over as many dimensions as `output_shape` has besides batch and channels: one to three.

    Raises ValueError for another number of dimensions.
    """
    rank = len(static_shape(output_shape)) - 2
    if not 1 <= rank <= 3:
        raise ValueError(f"tf.nn.conv_transpose: output_shape has 3 to 5 numbers, got {output_shape!r}.")
    return _convolve_transposed(
        "nn.conv_transpose", input, filters, output_shape, WindowSteps(strides, padding, data_format, dilations), rank
    )


@exported("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: ShapeLike,
    rate: Any,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`, with filters (h, w, out, c); otherwise as `conv1d_transpose`."""
    return _convolve_transposed(
        "nn.atrous_conv2d_transpose", value, filters, output_shape, WindowSteps(1, padding, None, rate), 2
    )


accept_symbols(globals())
