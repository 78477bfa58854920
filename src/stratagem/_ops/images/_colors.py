"""Colors of `tf.image`: gray, hue and saturation, YIQ and YUV; adjustments of brightness, contrast, gamma and colors."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, is_traced, tensor
from stratagem._ops._dtypes import as_dtype, float16, float32
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._conversion import convert_image_dtype
from stratagem._ops.images._shapes import at_least_an_image, colored

_LUMA = (0.2989, 0.5870, 0.1140)  # of ITU-R BT.601, rounded as TensorFlow has them
# One row for each channel that goes in, one column for each that comes out (https://en.wikipedia.org/wiki/YIQ, /YUV).
_RGB_TO_YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
_YIQ_TO_RGB = ((1.0, 1.0, 1.0), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
_RGB_TO_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_YUV_TO_RGB = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))


@exported("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Converts three channels to one of brightness, keeping the dtype; float64 is computed in float32, as in TensorFlow.

    Raises InvalidArgumentError for another number of channels.
    """
    array = colored("rgb_to_grayscale", images)
    weights = np.array(_LUMA, np.float32)
    gray = jnp.sum(convert_image_dtype(array, float32) * weights, -1, keepdims=True)
    return convert_image_dtype(gray, array.dtype)


@exported("image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Repeats the one channel of images (..., height, width, 1) three times.

    Raises ValueError for another number of channels or fewer than three dimensions.
    """
    array = at_least_an_image("grayscale_to_rgb", images)
    if array.shape[-1] != 1:
        raise ValueError(f"tf.image.grayscale_to_rgb takes images with one channel, got the shape {array.shape}.")
    return jnp.repeat(array, 3, -1)


def _mixed(name: str, images: Any, kernel: tuple[tuple[float, ...], ...]) -> Tensor:
    """Images whose channels are sums of the given ones."""
    array = colored(name, images)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise ValueError(
            f"tf.image.{name} takes floating point, got {array.dtype}: tf.image.convert_image_dtype converts it."
        )
    with allow_x64(array.dtype):
        weights = np.array(kernel).astype(array.dtype)
        return jnp.sum(array[..., None] * weights, -2)


@exported("image.rgb_to_yiq")
def rgb_to_yiq(images: Any) -> Tensor:
    """Converts floating-point images from RGB to YIQ. ValueError: integers; InvalidArgumentError: other channels."""
    return _mixed("rgb_to_yiq", images, _RGB_TO_YIQ)


@exported("image.yiq_to_rgb")
def yiq_to_rgb(images: Any) -> Tensor:
    """Converts floating-point images from YIQ to RGB. Raises as `rgb_to_yiq` does."""
    return _mixed("yiq_to_rgb", images, _YIQ_TO_RGB)


@exported("image.rgb_to_yuv")
def rgb_to_yuv(images: Any) -> Tensor:
    """Converts floating-point images from RGB to YUV. Raises as `rgb_to_yiq` does."""
    return _mixed("rgb_to_yuv", images, _RGB_TO_YUV)


@exported("image.yuv_to_rgb")
def yuv_to_rgb(images: Any) -> Tensor:
    """Converts floating-point images from YUV to RGB. Raises as `rgb_to_yiq` does."""
    return _mixed("yuv_to_rgb", images, _YUV_TO_RGB)


def _floating_colors(name: str, images: Any) -> Tensor:
    array = colored(name, images)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise InvalidArgumentError(
            f"tf.image.{name} takes floating point, got {array.dtype}: tf.image.convert_image_dtype converts it."
        )
    return array


@exported("image.rgb_to_hsv")
def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Converts floating-point images from RGB, between 0 and 1, to hue, saturation and value, each between 0 and 1.

    Raises InvalidArgumentError for integers and for another number of channels.
    """
    array = _floating_colors("rgb_to_hsv", images)
    with allow_x64(array.dtype):
        hue, largest = _hue(array)
        return jnp.stack([hue, _saturation(array), largest], -1)


def _largest_and_extent(array: Tensor) -> tuple[Tensor, Tensor]:
    """The largest channel, and how far the smallest is from it."""
    red, green, blue = array[..., 0], array[..., 1], array[..., 2]
    largest = jnp.maximum(jnp.maximum(red, green), blue)
    # Of equal channels the first is the largest and the last the smallest, by which TensorFlow differentiates.
    return largest, largest - jnp.minimum(blue, jnp.minimum(green, red))


def _saturation(array: Tensor) -> Tensor:
    # In TensorFlow a channel that is 0 has no gradient by the saturation.
    largest, extent = _largest_and_extent(jnp.where(array > 0, array, jax.lax.stop_gradient(array)))
    positive = largest > 0
    return jnp.where(positive, extent / jnp.where(positive, largest, 1), 0)


def _hue(array: Tensor) -> tuple[Tensor, Tensor]:
    """The hue between 0 and 1, and the largest channel."""
    red, green, blue = array[..., 0], array[..., 1], array[..., 2]
    largest, extent = _largest_and_extent(array)
    some = extent > 0
    sixth = 1 / jnp.where(some, extent, 1) / 6
    of_others = jnp.where(green == largest, sixth * (blue - red) + 2 / 6, sixth * (red - green) + 4 / 6)
    hue = jnp.where(some, jnp.where(red == largest, sixth * (green - blue), of_others), 0)
    return jnp.where(hue < 0, hue + 1, hue), largest


@exported("image.hsv_to_rgb")
def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Converts floating-point images from hue, saturation and value, each between 0 and 1, to RGB.

    Raises InvalidArgumentError for integers and for another number of channels.
    """
    array = _floating_colors("hsv_to_rgb", images)
    with allow_x64(array.dtype):
        hue, saturation, value = array[..., :1], array[..., 1:2], array[..., 2:]
        return ((1 - saturation) + saturation * _pure(hue * 6)) * value


def _pure(sixths: Tensor) -> Tensor:
    """The color between black and white with this hue, given in sixths: (..., 1) to (..., 3)."""
    red = jnp.abs(sixths - 3) - 1
    green, blue = 2 - jnp.abs(sixths - 2), 2 - jnp.abs(sixths - 4)
    return jnp.clip(jnp.concatenate([red, green, blue], -1), 0, 1)


def _computed(array: Tensor) -> Tensor:
    """Images as adjustments compute with them: float16 and float32 as they are, all others as float32."""
    return array if as_dtype(array.dtype) in (float16, float32) else convert_image_dtype(array, float32)


@exported("image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Adds `delta` to the pixels, taken between 0 and 1; integers stay in their range. Returns the image's dtype."""
    array = tensor(image)
    pixels = _computed(array)
    return convert_image_dtype(pixels + tensor(delta).astype(pixels.dtype), array.dtype, saturate=True)


@exported("image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Multiplies how far each pixel is from the mean of its image and channel; integers stay in their range.

    images: (..., height, width, channels). Raises InvalidArgumentError for fewer dimensions.
    """
    array = tensor(images)
    if array.ndim < 3:
        raise InvalidArgumentError(
            f"tf.image.adjust_contrast takes images (..., height, width, channels), got the shape {array.shape}."
        )
    pixels = _computed(array)
    mean = jnp.mean(pixels, (-3, -2), keepdims=True)
    adjusted = (pixels - mean) * tensor(contrast_factor).astype(pixels.dtype) + mean
    return convert_image_dtype(adjusted, array.dtype, saturate=True)


@exported("image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Returns `gain * image**gamma`, with pixels taken between 0 and 1; integers stay in their range.

    Raises ValueError for a negative gamma, where it is known.
    """
    array = tensor(image)
    pixels, power = _computed(array), tensor(gamma)
    if not is_traced(power) and bool(jnp.any(power < 0)):
        raise ValueError(f"tf.image.adjust_gamma: gamma is not negative, got {gamma}.")
    adjusted = tensor(gain).astype(pixels.dtype) * pixels ** power.astype(pixels.dtype)
    return convert_image_dtype(adjusted, array.dtype, saturate=True)


@exported("image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Adds `delta` to the hue of RGB images, which goes around from 0 to 1; keeps the dtype.

    Raises InvalidArgumentError for another number of channels or fewer than three dimensions, ValueError for a known delta
    outside of [-1, 1].
    """
    array = _adjusted("adjust_hue", image)
    number = tensor(delta)
    if not is_traced(number) and not -1 <= float(number) <= 1:
        raise ValueError(f"tf.image.adjust_hue: delta is between -1 and 1, got {float(number)}.")
    pixels = _computed(array)
    hue, largest = _hue(pixels)
    extent = _largest_and_extent(pixels)[1]
    turned = jnp.mod(hue * 6 + number.astype(pixels.dtype) * 6, 6)
    colors = (largest - extent)[..., None] + extent[..., None] * _pure(turned[..., None])
    return convert_image_dtype(colors, array.dtype)


@exported("image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Multiplies the saturation of RGB images, which stays between 0 and 1; keeps the dtype.

    Raises InvalidArgumentError for another number of channels or fewer than three dimensions.
    """
    array = _adjusted("adjust_saturation", image)
    hsv = rgb_to_hsv(_computed(array))
    saturation = jnp.clip(hsv[..., 1:2] * tensor(saturation_factor).astype(hsv.dtype), 0, 1)
    colors = hsv_to_rgb(jnp.concatenate([hsv[..., :1], saturation, hsv[..., 2:]], -1))
    return convert_image_dtype(colors, array.dtype)


def _adjusted(name: str, image: Any) -> Tensor:
    array = colored(name, image)
    if array.ndim < 3:
        raise InvalidArgumentError(
            f"tf.image.{name} takes images (..., height, width, 3), got the shape {array.shape}."
        )
    return array


accept_symbols(globals())
