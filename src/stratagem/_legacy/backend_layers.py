"""Functions of Keras 2's backend that layers are made of: convolutions, pooling, padding, resizing, normalization."""

import math
from typing import Any

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike

__all__ = [
    "batch_dot",
    "batch_normalization",
    "bias_add",
    "binary_focal_crossentropy",
    "categorical_focal_crossentropy",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "ctc_batch_cost",
    "depthwise_conv2d",
    "dropout",
    "normalize_batch_in_training",
    "pool2d",
    "pool3d",
    "resize_images",
    "resize_volumes",
    "separable_conv2d",
    "spatial_2d_padding",
    "spatial_3d_padding",
    "temporal_padding",
]

Axes = int | tuple[int, int] | list[int] | None
Paddings = tuple[tuple[int, int], ...]


def _tensor(x: Any) -> Any:
    return x if hasattr(x, "shape") else keras.ops.convert_to_tensor(x)


# --- Products and convolutions ----------------------------------------------------------------------------------------


@exported("keras.backend.batch_dot")
def batch_dot(x: Any, y: Any, axes: Axes = None) -> Any:
    """Returns the products of the examples of two batches, (b, …) and (b, …), summed along one dimension of each.

    axes: the dimension of x and that of y, or one number for both; None: the last of x, and the last but one of y (of a matrix
    the last). Where two vectors are multiplied the result is (b, 1). Raises ValueError for sizes that differ.
    """
    x, y = _tensor(x), _tensor(y)
    ranks = len(x.shape), len(y.shape)
    if min(ranks) < 2:
        raise ValueError(f"batch_dot expects batches, of rank 2 or more: x has rank {ranks[0]}, y has rank {ranks[1]}.")
    given = (ranks[0] - 1, ranks[1] - (1 if ranks[1] == 2 else 2)) if axes is None else axes
    a, b = (given, given) if isinstance(given, int) else given
    a, b = a % ranks[0], b % ranks[1]
    if 0 in (a, b):
        raise ValueError("Cannot perform batch_dot over axis 0. If your inputs are not batched, add a batch dimension.")
    if None not in (x.shape[a], y.shape[b]) and x.shape[a] != y.shape[b]:
        raise ValueError(f"Cannot do batch_dot on inputs with shapes {x.shape} and {y.shape} with axes={axes}.")
    of_x = ["b", *(chr(ord("c") + i) for i in range(ranks[0] - 1))]
    of_y = ["b", *(chr(ord("n") + i) for i in range(ranks[1] - 1))]
    of_x[a] = of_y[b] = "z"
    kept = [letter for letter in [*of_x, *of_y[1:]] if letter != "z"]
    result = keras.ops.einsum(f"{''.join(of_x)},{''.join(of_y)}->{''.join(kept)}", x, y)
    return keras.ops.expand_dims(result, -1) if len(kept) == 1 else result


@exported("keras.backend.bias_add")
def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """Returns the tensor plus a bias of its channels, or of every element of an example.

    Raises ValueError for a bias of another rank than 1 and that of an example.
    """
    x, bias = _tensor(x), _tensor(bias)
    rank = len(bias.shape)
    if rank not in (1, len(x.shape) - 1):
        raise ValueError(f"Unexpected bias dimensions {rank}. Expected it to be 1 or {len(x.shape) - 1} dimensions")
    first = (data_format or keras.config.image_data_format()) == "channels_first"
    if rank > 1:
        return x + (keras.ops.transpose(bias, (rank - 1, *range(rank - 1))) if first else bias)
    return x + (keras.ops.reshape(bias, (-1, *[1] * (len(x.shape) - 2))) if first else bias)


def _convolved(x: Any, kernel: Any, strides: Any, padding: str, data_format: str | None, dilation_rate: Any) -> Any:
    causal = padding == "causal"
    if causal:
        rate = dilation_rate if isinstance(dilation_rate, int) else dilation_rate[0]
        x = temporal_padding(x, (rate * (kernel.shape[0] - 1), 0))
    return keras.ops.conv(
        _tensor(x), _tensor(kernel), strides, "valid" if causal else padding, data_format, dilation_rate
    )


@exported("keras.backend.conv1d")
def conv1d(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the convolution of sequences. padding: "same", "causal" or "valid"."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate)


@exported("keras.backend.conv2d")
def conv2d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Returns the convolution of images."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate)


@exported("keras.backend.conv3d")
def conv3d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:
    """Returns the convolution of volumes."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate)


@exported("keras.backend.conv2d_transpose")
def conv2d_transpose(
    x: Any,
    kernel: Any,
    output_shape: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Returns the transposed convolution of images. kernel: (h, w, channels out, channels in).

    output_shape: only its height and width count; they tell apart the sizes that a convolution maps to that of x.
    """
    first = (data_format or keras.config.image_data_format()) == "channels_first"
    sizes = tuple(int(size) for size in (output_shape[2:] if first else output_shape[1:3]))
    pairs = zip(sizes, x.shape[2:] if first else x.shape[1:3], _two(strides), kernel.shape[:2], strict=True)
    if padding == "same":
        extra = tuple(size + 2 * (width // 2) - (have - 1) * step - width for size, have, step, width in pairs)
    else:
        extra = tuple(size - (have - 1) * step - width for size, have, step, width in pairs)
    return keras.ops.conv_transpose(_tensor(x), _tensor(kernel), strides, padding, extra, data_format, dilation_rate)


def _two(value: Any) -> Any:
    return (value, value) if isinstance(value, int) else value


@exported("keras.backend.depthwise_conv2d")
def depthwise_conv2d(
    x: Any,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Returns the convolution of every channel of images with kernels of its own."""
    return keras.ops.depthwise_conv(_tensor(x), _tensor(depthwise_kernel), strides, padding, data_format, dilation_rate)


@exported("keras.backend.separable_conv2d")
def separable_conv2d(
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Returns the depthwise convolution of images, then one of single pixels over channels."""
    kernels = _tensor(depthwise_kernel), _tensor(pointwise_kernel)
    return keras.ops.separable_conv(_tensor(x), *kernels, strides, padding, data_format, dilation_rate)


# --- Pooling, padding, resizing ---------------------------------------------------------------------------------------


def _pooled(x: Any, pool_size: Any, strides: Any, padding: str, data_format: str | None, pool_mode: str) -> Any:
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    function = keras.ops.max_pool if pool_mode == "max" else keras.ops.average_pool
    return function(_tensor(x), pool_size, strides, padding, data_format)


@exported("keras.backend.pool2d")
def pool2d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """Returns the largest or mean values ("max", "avg") of windows of images. Raises ValueError for another mode."""
    return _pooled(x, pool_size, strides, padding, data_format, pool_mode)


@exported("keras.backend.pool3d")
def pool3d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """Returns the largest or mean values ("max", "avg") of windows of volumes. Raises ValueError for another mode."""
    return _pooled(x, pool_size, strides, padding, data_format, pool_mode)


@exported("keras.backend.temporal_padding")
def temporal_padding(x: Any, padding: tuple[int, int] = (1, 1)) -> Any:
    """Returns sequences with zeros before and after them."""
    return keras.ops.pad(_tensor(x), ((0, 0), padding, (0, 0)))


def _padded(x: Any, padding: Any, data_format: str | None) -> Any:
    none = ((0, 0),)
    first = (data_format or keras.config.image_data_format()) == "channels_first"
    around = tuple(tuple(each) for each in padding)
    return keras.ops.pad(_tensor(x), (none * 2 + around) if first else (none + around + none))


@exported("keras.backend.spatial_2d_padding")
def spatial_2d_padding(x: Any, padding: Paddings = ((1, 1), (1, 1)), data_format: str | None = None) -> Any:
    """Returns images with zeros around them."""
    return _padded(x, padding, data_format)


@exported("keras.backend.spatial_3d_padding")
def spatial_3d_padding(x: Any, padding: Paddings = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None) -> Any:
    """Returns volumes with zeros around them."""
    return _padded(x, padding, data_format)


@exported("keras.backend.resize_images")
def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Any:
    """Returns images that are so many times as high and wide."""
    x = _tensor(x)
    height, width = x.shape[2:] if data_format == "channels_first" else x.shape[1:3]
    size = (height * height_factor, width * width_factor)
    return keras.ops.image.resize(x, size, interpolation=interpolation, data_format=data_format)


@exported("keras.backend.resize_volumes")
def resize_volumes(x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str) -> Any:
    """Returns volumes with every element so many times in a row. Raises ValueError for an unknown data_format."""
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    begin = 2 if data_format == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), begin):
        x = keras.ops.repeat(_tensor(x), factor, axis)
    return x


# --- Normalization, dropout, losses -----------------------------------------------------------------------------------


@exported("keras.backend.batch_normalization")
def batch_normalization(
    x: Any,
    mean: Any,
    var: Any,
    beta: Any,
    gamma: Any,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Any:
    """Returns the tensor, normalized with these statistics, scaled by gamma and shifted by beta (None: neither)."""
    scale = keras.ops.rsqrt(_tensor(var) + epsilon)
    scale = scale if gamma is None else scale * gamma
    result = (_tensor(x) - mean) * scale
    return result if beta is None else result + beta


@exported("keras.backend.normalize_batch_in_training")
def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3
) -> tuple[Any, Any, Any]:
    """Returns the tensor, normalized with its own statistics over some dimensions, its mean and its variance.

    Of images, over all but channels, the variance is the unbiased one.
    """
    x = _tensor(x)
    axes = [reduction_axes] if isinstance(reduction_axes, int) else list(reduction_axes)
    mean, variance = keras.ops.moments(x, axes)
    shape = [1 if i in axes else size for i, size in enumerate(x.shape)]
    offset, scale = (None if v is None else keras.ops.reshape(v, shape) for v in (beta, gamma))
    center, spread = (keras.ops.reshape(v, shape) for v in (mean, variance))
    result = batch_normalization(x, center, spread, offset, scale, epsilon=epsilon)
    if len(x.shape) == 4 and axes in (
        [0, 1, 2],
        [0, 2, 3],
    ):  # for images TensorFlow returns the estimate of the variance
        count = math.prod(x.shape[i] for i in axes)
        variance = variance * (count / max(count - 1, 1))
    return result, mean, variance


@exported("keras.backend.dropout")
def dropout(x: Any, level: float, noise_shape: ShapeLike | None = None, seed: int | None = None) -> Any:
    """Returns the tensor with a share of its elements set to 0, and the others scaled up."""
    drawn = np.random.randint(10_000_000) if seed is None else seed
    return keras.random.dropout(_tensor(x), level, noise_shape, drawn)


@exported("keras.backend.binary_focal_crossentropy")
def binary_focal_crossentropy(
    target: Any,
    output: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Any:
    """Returns the focal loss of every element (arXiv:1708.02002)."""
    output = _tensor(output)
    target = keras.ops.cast(target, output.dtype)
    loss = keras.ops.binary_crossentropy(target, output, from_logits=from_logits)
    probability = keras.ops.sigmoid(output) if from_logits else output
    right = target * probability + (1 - target) * (1 - probability)
    loss = keras.ops.power(1 - right, gamma) * loss
    return loss * (target * alpha + (1 - target) * (1 - alpha)) if apply_class_balancing else loss


@exported("keras.backend.categorical_focal_crossentropy")
def categorical_focal_crossentropy(
    target: Any,
    output: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> Any:
    """Returns the focal loss of every example (arXiv:1708.02002)."""
    output = _tensor(output)
    output = keras.ops.softmax(output, axis=axis) if from_logits else output
    output = output / keras.ops.sum(output, axis=axis, keepdims=True)
    output = keras.ops.clip(output, keras.config.epsilon(), 1 - keras.config.epsilon())
    loss = -target * keras.ops.log(output) * keras.ops.power(1 - output, gamma) * alpha
    return keras.ops.sum(loss, axis=axis)


@exported("keras.backend.ctc_batch_cost")
def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """Returns the loss (b, 1) of labels without times for every sequence (Graves et al. 2006); the last class is blank.

    y_true: (b, labels); y_pred: (b, steps, classes), probabilities; input_length, label_length: (b, 1).
    """
    lengths = [keras.ops.cast(keras.ops.reshape(n, (-1,)), "int32") for n in (label_length, input_length)]
    y_pred = keras.ops.log(_tensor(y_pred) + keras.config.epsilon())
    labels = keras.ops.cast(y_true, "int32")
    loss = keras.ops.ctc_loss(labels, y_pred, *lengths, mask_index=int(y_pred.shape[-1]) - 1)
    return keras.ops.expand_dims(loss, 1)
