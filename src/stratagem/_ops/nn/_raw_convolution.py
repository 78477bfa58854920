"""Convolution under the names of operations at the root of `tf`: `tf.conv` and the gradients of a convolution."""

from collections.abc import Sequence
from typing import Any

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, operands, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._general_convolution import WindowSteps, convolve, transposed


@exported("conv")
def conv(
    input: Any,
    filter: Any,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Sequence[int] = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """Convolution over two or three dimensions, after `batch_dims` dimensions of the batch.

    filter: (sizes..., channels of a group, channels of the output). strides, dilations: a number for each dimension, with one
    dimension for the batch. padding: 'SAME', 'VALID' or 'EXPLICIT' with two numbers for each dimension. data_format:
    'CHANNELS_LAST' or 'CHANNELS_FIRST'. Raises InvalidArgumentError for what does not fit together.
    """
    array, kernel = operands("conv", tensor(input), filter)
    rank = kernel.ndim - 2
    if rank not in (2, 3) or array.ndim != rank + 1 + batch_dims or data_format not in _FORMATS:
        raise InvalidArgumentError(
            f"tf.conv takes an input with {batch_dims} dimensions of a batch and filters of 4 or 5 dimensions, 'CHANNELS_LAST' "
            f"or 'CHANNELS_FIRST', got the shapes {array.shape} and {kernel.shape}, {data_format!r}."
        )
    layout = _FORMATS[data_format][rank]
    channels = array.shape[batch_dims if data_format == "CHANNELS_FIRST" else -1]
    if channels != kernel.shape[-2] * groups:
        raise InvalidArgumentError(
            f"tf.conv: {groups} groups of {kernel.shape[-2]} channels are not {channels} channels."
        )
    return convolve("conv", array, kernel, _steps(strides, padding, explicit_paddings, layout, dilations), rank)


_FORMATS = {"CHANNELS_LAST": {2: "NHWC", 3: "NDHWC"}, "CHANNELS_FIRST": {2: "NCHW", 3: "NCDHW"}}


def _steps(
    strides: Sequence[int], padding: str, explicit: Sequence[int], layout: str, dilations: Sequence[int]
) -> WindowSteps:
    pairs = [(explicit[i], explicit[i + 1]) for i in range(0, len(explicit) - 1, 2)]
    return WindowSteps(strides, pairs if padding == "EXPLICIT" else padding, layout, list(dilations) or None)


@exported("conv2d_backprop_input_v2")
def conv2d_backprop_input_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.conv2d` by its input, of which only the shape counts, for a gradient of its result.

    Raises InvalidArgumentError if that is not of the result's shape.
    """
    label = "conv2d_backprop_input_v2"
    kernel, gradient = operands(label, tensor(filter), out_backprop)
    steps = _steps(strides, padding, explicit_paddings, data_format, dilations)

    def forward(array: Tensor) -> Tensor:
        return convolve(label, array, kernel, steps, 2)

    return transposed(label, forward, tensor(input).shape, gradient)


@exported("conv2d_backprop_filter_v2")
def conv2d_backprop_filter_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.conv2d` by its filters, of which only the shape counts, for a gradient of its result.

    Raises InvalidArgumentError if that is not of the result's shape.
    """
    label = "conv2d_backprop_filter_v2"
    array, gradient = operands(label, tensor(input), out_backprop)
    steps = _steps(strides, padding, explicit_paddings, data_format, dilations)

    def forward(kernel: Tensor) -> Tensor:
        return convolve(label, array, kernel, steps, 2)

    return transposed(label, forward, tensor(filter).shape, gradient)


accept_symbols(globals())
