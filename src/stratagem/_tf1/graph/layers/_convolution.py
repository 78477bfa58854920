"""tf1.layers: convolutions, plain, separable and transposed."""

from collections.abc import Callable
from typing import Any, ClassVar, final

import jax.numpy as jnp
import keras

from stratagem._base.exports import exported
from stratagem._ops import Tensor, bias_add, tensor
from stratagem._ops.nn import conv1d as _conv1d
from stratagem._ops.nn import conv2d as _conv2d
from stratagem._ops.nn import conv3d as _conv3d
from stratagem._ops.nn import depthwise_conv2d
from stratagem._tf1.graph.layers._layer import Layer, as_function, weight_settings

Activation = Callable[[Any], Any] | None
_PLAIN = {1: _conv1d, 2: _conv2d, 3: _conv3d}


def channels(data_format: str, rank: int) -> str:
    """Returns TensorFlow's letters for "channels_last" or "channels_first". Raises ValueError for any other format."""
    letters = "DHW"[3 - rank :] if rank > 1 else "W"
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"data_format is 'channels_last' or 'channels_first', got {data_format!r}.")
    return f"N{letters}C" if data_format == "channels_last" else f"NC{letters}"


def each(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """Returns one integer for each dimension, from an integer or a list. Raises ValueError for a list of another length."""
    numbers = (int(value),) * rank if isinstance(value, int) else tuple(int(v) for v in value)
    if len(numbers) != rank:
        raise ValueError(f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}")
    return numbers


class _Convolution(Layer):
    """Base of all convolutions: filters, windows, a bias, an activation.

    window: filters, kernel size, strides, padding, data format and dilation rate.
    bias: the settings of the bias; None for a layer without one.
    """

    rank: ClassVar[int]

    def __init__(
        self,
        window: tuple[int, Any, Any, str, str, Any],
        activation: Activation,
        bias: dict[str, Any] | None,
        trainable: bool,
        name: str | None,
        activity_regularizer: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        filters, kernel_size, strides, padding, data_format, dilation_rate = window
        self.filters = int(filters)
        self.kernel_size = each(kernel_size, self.rank, "kernel_size")
        self.strides = each(strides, self.rank, "strides")
        self.padding, self.data_format = padding.lower(), data_format
        if self.padding not in ("valid", "same"):
            raise ValueError(f"padding is 'valid' or 'same', got {padding!r}.")
        self.format = channels(data_format, self.rank)
        self.dilation_rate = each(dilation_rate, self.rank, "dilation_rate")
        self.activation, self.use_bias = activation, bias is not None
        self._bias_settings = bias or {}
        self.bias: Any = None

    def channels_in(self, input_shape: tuple[int, ...]) -> int:
        """Returns the number of input channels. Raises ValueError for an input of another rank."""
        if len(input_shape) != self.rank + 2:
            raise ValueError(f"{self.name}: expected an input of rank {self.rank + 2}, got the shape {input_shape}.")
        return input_shape[self.format.index("C")]

    def add_bias(self) -> None:
        """Creates the bias, if the layer has one."""
        self.bias = self.add_weight("bias", (self.filters,), **self._bias_settings) if self.use_bias else None

    def finished(self, outputs: Any) -> Tensor:
        """Returns the outputs with bias and activation applied."""
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias, self.format)
        return outputs if self.activation is None else self.activation(outputs)


class _PlainConvolution(_Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        window = filters, kernel_size, strides, padding, data_format, dilation_rate
        bias = weight_settings(bias_initializer, bias_regularizer, bias_constraint) if use_bias else None
        super().__init__(window, activation, bias, trainable, name, activity_regularizer, **kwargs)
        self._kernel_settings = weight_settings(kernel_initializer, kernel_regularizer, kernel_constraint)
        self.kernel: Any = None

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Creates the kernel (*window, channels, filters) and the bias."""
        shape = (*self.kernel_size, self.channels_in(input_shape), self.filters)
        self.kernel = self.add_weight("kernel", shape, **self._kernel_settings)
        self.add_bias()

    def call(self, inputs: Any) -> Tensor:
        """Returns the output."""
        convolve: Any = _PLAIN[self.rank]
        return self.finished(
            convolve(inputs, self.kernel, self.strides, self.padding.upper(), self.format, self.dilation_rate)
        )


@exported(v1=["layers.Conv1D"])
@final
class Conv1D(_PlainConvolution):
    """A convolution over one dimension: (n, w, c) to (n, w', filters)."""

    rank = 1


@exported(v1=["layers.Conv2D"])
@final
class Conv2D(_PlainConvolution):
    """A convolution over two dimensions: (n, h, w, c) to (n, h', w', filters)."""

    rank = 2


@exported(v1=["layers.Conv3D"])
@final
class Conv3D(_PlainConvolution):
    """A convolution over three dimensions: (n, d, h, w, c) to (n, d', h', w', filters)."""

    rank = 3


class _Transposed(_Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        window = filters, kernel_size, strides, padding, data_format, 1
        bias = weight_settings(bias_initializer, bias_regularizer, bias_constraint) if use_bias else None
        super().__init__(window, activation, bias, trainable, name, activity_regularizer, **kwargs)
        self._kernel_settings = weight_settings(kernel_initializer, kernel_regularizer, kernel_constraint)
        self.kernel: Any = None

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Creates the kernel (*window, filters, channels) and the bias."""
        shape = (*self.kernel_size, self.filters, self.channels_in(input_shape))
        self.kernel = self.add_weight("kernel", shape, **self._kernel_settings)
        self.add_bias()

    def call(self, inputs: Any) -> Tensor:
        """Returns the output."""
        first = self.data_format == "channels_first"
        last = jnp.moveaxis(inputs, 1, -1) if first else inputs
        outputs = keras.ops.conv_transpose(last, tensor(self.kernel), self.strides, self.padding, None, "channels_last")
        return self.finished(jnp.moveaxis(outputs, -1, 1) if first else outputs)


@exported(v1=["layers.Conv2DTranspose"])
@final
class Conv2DTranspose(_Transposed):
    """The transpose of a convolution over two dimensions: (n, h, w, c) to (n, h', w', filters)."""

    rank = 2


@exported(v1=["layers.Conv3DTranspose"])
@final
class Conv3DTranspose(_Transposed):
    """The transpose of a convolution over three dimensions: (n, d, h, w, c) to (n, d', h', w', filters)."""

    rank = 3


class _Separable(_Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Activation = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        window = filters, kernel_size, strides, padding, data_format, dilation_rate
        bias = weight_settings(bias_initializer, bias_regularizer, bias_constraint) if use_bias else None
        super().__init__(window, activation, bias, trainable, name, activity_regularizer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._depthwise_settings = weight_settings(depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        self._pointwise_settings = weight_settings(pointwise_initializer, pointwise_regularizer, pointwise_constraint)
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Creates the depthwise kernel, the pointwise kernel and the bias."""
        count, each_channel = self.channels_in(input_shape), self.depth_multiplier
        shape = (*self.kernel_size, count, each_channel)
        self.depthwise_kernel = self.add_weight("depthwise_kernel", shape, **self._depthwise_settings)
        shape = (*(1,) * self.rank, count * each_channel, self.filters)
        self.pointwise_kernel = self.add_weight("pointwise_kernel", shape, **self._pointwise_settings)
        self.add_bias()

    def call(self, inputs: Any) -> Tensor:
        """Returns the output."""
        first, flat = self.data_format == "channels_first", self.rank == 1
        last = jnp.moveaxis(inputs, 1, -1) if first else inputs
        depthwise, pointwise = tensor(self.depthwise_kernel), tensor(self.pointwise_kernel)
        strides, dilations = self.strides, self.dilation_rate
        if flat:  # an image with one row, which is strided, too, as in TensorFlow
            last, depthwise, pointwise = last[:, None], depthwise[None], pointwise[None]
            strides, dilations = strides * 2, (1, *dilations)
        outputs = depthwise_conv2d(last, depthwise, (1, *strides, 1), self.padding.upper(), "NHWC", dilations)
        outputs = _conv2d(outputs, pointwise, 1, "VALID")
        outputs = outputs[:, 0] if flat else outputs
        return self.finished(jnp.moveaxis(outputs, -1, 1) if first else outputs)


@exported(v1=["layers.SeparableConv1D"])
@final
class SeparableConv1D(_Separable):
    """A depthwise, then a pointwise convolution over one dimension: (n, w, c) to (n, w', filters)."""

    rank = 1


@exported(v1=["layers.SeparableConv2D"])
@final
class SeparableConv2D(_Separable):
    """A depthwise, then a pointwise convolution over two dimensions: (n, h, w, c) to (n, h', w', filters)."""

    rank = 2


conv1d = exported(v1=["layers.conv1d"])(as_function(Conv1D, "conv1d"))
conv2d = exported(v1=["layers.conv2d"])(as_function(Conv2D, "conv2d"))
conv3d = exported(v1=["layers.conv3d"])(as_function(Conv3D, "conv3d"))
conv2d_transpose = exported(v1=["layers.conv2d_transpose"])(as_function(Conv2DTranspose, "conv2d_transpose"))
conv3d_transpose = exported(v1=["layers.conv3d_transpose"])(as_function(Conv3DTranspose, "conv3d_transpose"))
separable_conv1d = exported(v1=["layers.separable_conv1d"])(as_function(SeparableConv1D, "separable_conv1d"))
separable_conv2d = exported(v1=["layers.separable_conv2d"])(as_function(SeparableConv2D, "separable_conv2d"))
