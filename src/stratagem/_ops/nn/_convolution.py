"""Convolution under the names of `tf.nn`: plain, dilated, depthwise and separable."""

from typing import Any

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._ops._convert import Tensor, operands, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._general_convolution import WindowSteps, convolve, convolve_depthwise, transposed


@exported("nn.conv1d", v1=())
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over one dimension: (n..., w, c) with filters (w, c, out).

    padding: 'SAME', 'VALID', or a pair (before, after) for each dimension. With filters for c / g channels, g groups
    of channels are convolved apart. Raises InvalidArgumentError for shapes that do not fit, as all convolutions here.
    """
    return convolve("nn.conv1d", input, filters, WindowSteps(stride, padding, data_format, dilations), 1)


@exported("nn.conv2d", v1=())
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over two dimensions: (n..., h, w, c) with filters (h, w, c, out); otherwise as `conv1d`."""
    return convolve("nn.conv2d", input, filters, WindowSteps(strides, padding, data_format, dilations), 2)


@exported("nn.conv3d", v1=())
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over three dimensions: (n..., d, h, w, c) with filters (d, h, w, c, out); otherwise as `conv1d`."""
    return convolve("nn.conv3d", input, filters, WindowSteps(strides, padding, data_format, dilations), 3)


@exported("nn.convolution", v1=())
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over as many dimensions as the filters have: one, two or three. Raises ValueError for another number."""
    kernel = tensor(filters)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError(f"tf.nn.convolution: filters have 3 to 5 dimensions, got the shape {kernel.shape}.")
    steps = 1 if strides is None else strides
    return convolve(
        "nn.convolution", input, kernel, WindowSteps(steps, padding, data_format, dilations), kernel.ndim - 2
    )


@exported("nn.atrous_conv2d")
def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """Convolution of (n..., h, w, c) with filters (h, w, c, out) whose entries are `rate` apart."""
    return convolve("nn.atrous_conv2d", value, filters, WindowSteps(1, padding, None, rate), 2)


# --- Depthwise --------------------------------------------------------------------------------------------------------


@exported("nn.depthwise_conv2d", v1=())
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves every channel with its own filters: (n, h, w, c) with filters (h, w, c, m) gives c * m channels."""
    array, filters = operands("nn.depthwise_conv2d", tensor(input), filter)
    return convolve_depthwise(
        "nn.depthwise_conv2d", array, filters, WindowSteps(strides, padding, data_format, dilations)
    )


@exported("nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes: ShapeLike,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` by its input, which has these sizes, for a gradient of its result."""
    label = "nn.depthwise_conv2d_backprop_input"
    filters, gradient = operands(label, tensor(filter), out_backprop)

    def forward(array: Tensor) -> Tensor:
        return convolve_depthwise(label, array, filters, WindowSteps(strides, padding, data_format, dilations))

    return transposed(label, forward, input_sizes, gradient)


@exported("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: ShapeLike,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` by its filters, which have these sizes, for a gradient of its result."""
    label = "nn.depthwise_conv2d_backprop_filter"
    array, gradient = operands(label, tensor(input), out_backprop)

    def forward(filters: Tensor) -> Tensor:
        return convolve_depthwise(label, array, filters, WindowSteps(strides, padding, data_format, dilations))

    return transposed(label, forward, filter_sizes, gradient)


@exported("nn.separable_conv2d", v1=())
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A depthwise convolution, whose channels are then mixed by filters (1, 1, c * m, out).

    Raises ValueError for pointwise filters of another size than 1.
    """
    array, first, second = operands("nn.separable_conv2d", tensor(input), depthwise_filter, pointwise_filter)
    if second.ndim != 4 or second.shape[:2] != (1, 1):
        raise ValueError(f"pointwise_filter is of shape (1, 1, c * m, out), got {second.shape}.")
    between = convolve_depthwise(
        "nn.separable_conv2d", array, first, WindowSteps(strides, padding, data_format, dilations)
    )
    return convolve("nn.separable_conv2d", between, second, WindowSteps(1, "VALID", data_format, 1), 2)


accept_symbols(globals())
