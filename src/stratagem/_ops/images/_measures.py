"""Measures of an image and of the likeness of two, of `tf.image`: edges, total variation, PSNR and structural similarity."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._arrays import cast
from stratagem._ops._convert import Tensor, allow_x64, static_int, tensor
from stratagem._ops._dtypes import float32
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._conversion import convert_image_dtype
from stratagem._ops.images._shapes import at_least_an_image, image_or_batch
from stratagem._ops.nn import avg_pool2d, depthwise_conv2d

_SOBEL = (((-1, -2, -1), (0, 0, 0), (1, 2, 1)), ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)))  # down, and to the right
_POWER_FACTORS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)  # of Wang, Simoncelli, Bovik (2003), see `ssim_multiscale`


@exported("image.image_gradients")
def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Returns how much the next pixel below, and the next one at the right, is larger; zero at the ends.

    image: a batch (n, height, width, channels), whose shape both results have. Raises ValueError for another rank.
    """
    array = tensor(image)
    if array.ndim != 4:
        raise ValueError(
            f"tf.image.image_gradients takes a batch (n, height, width, channels), got the shape {array.shape}. "
            "tf.expand_dims makes an image a batch of one."
        )
    with allow_x64(array.dtype):
        down = jnp.pad(jnp.diff(array, axis=1), ((0, 0), (0, 1), (0, 0), (0, 0)))
        right = jnp.pad(jnp.diff(array, axis=2), ((0, 0), (0, 0), (0, 1), (0, 0)))
    return down.reshape(array.shape), right.reshape(array.shape)


@exported("image.sobel_edges")
def sobel_edges(image: Any) -> Tensor:
    """Returns the edges that Sobel's two filters find, of changes downwards and to the right.

    image: floating point (n, height, width, channels), 2 by 2 pixels or larger, to (n, height, width, channels, 2). Raises
    InvalidArgumentError for other shapes.
    """
    array = tensor(image)
    if array.ndim != 4 or min(array.shape[1:3]) < 2:
        raise InvalidArgumentError(
            f"tf.image.sobel_edges takes a batch of images of at least 2 by 2 pixels, got the shape {array.shape}."
        )
    with allow_x64(array.dtype):
        whole = jnp.pad(array, ((0, 0), (1, 1), (1, 1), (0, 0)), "reflect")
    filters = np.transpose(np.array(_SOBEL), (1, 2, 0))[:, :, None, :].astype(array.dtype)
    edges = depthwise_conv2d(whole, np.tile(filters, (1, 1, array.shape[-1], 1)), [1, 1, 1, 1], "VALID")
    return edges.reshape(*array.shape, 2)


@exported("image.total_variation")
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Returns the sum of absolute differences between neighbours: a scalar for an image, (n,) for a batch.

    Raises ValueError for another rank.
    """
    array = image_or_batch("total_variation", images)
    with allow_x64(array.dtype):
        return sum(jnp.sum(jnp.abs(jnp.diff(array, axis=axis)), (-3, -2, -1), dtype=array.dtype) for axis in (-3, -2))  # type: ignore[return-value]


@exported("image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Returns the peak signal-to-noise ratio of images (..., height, width, channels) in decibels, float32 of shape (...).

    20 log10(max_val) - 10 log10(the mean squared difference); max_val: the largest minus the smallest possible pixel. Raises
    ValueError for shapes that do not fit.
    """
    first, second, largest = _compared("psnr", a, b, max_val)
    error = jnp.mean(jnp.square(first - second), (-3, -2, -1))
    ten = np.log(np.float32(10))
    return 20 * jnp.log(largest) / ten - np.float32(10 / np.log(10)) * jnp.log(error)


def _compared(name: str, a: Any, b: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two images and their range in float32. Raises ValueError for shapes that do not fit."""
    first, second = at_least_an_image(name, a), at_least_an_image(name, b)
    heads = zip(first.shape[-4::-1], second.shape[-4::-1], strict=False)
    if first.shape[-3:] != second.shape[-3:] or any(m != n and 1 not in (m, n) for m, n in heads):
        raise ValueError(
            f"tf.image.{name} takes images of one height, width and number of channels, in batches that broadcast, got the "
            f"shapes {first.shape} and {second.shape}. tf.image.resize makes them alike."
        )
    largest = convert_image_dtype(cast(max_val, first.dtype), float32)
    return convert_image_dtype(first, float32), convert_image_dtype(second, float32), largest


@exported("image.ssim")
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Returns the structural similarity of images (..., height, width, channels), up to 1: float32 of shape (...).

    It is that of Wang, Bovik, Sheikh, Simoncelli (2004) with a Gaussian window of filter_size, which the images are not smaller
    than. return_index_map: one number for each place of the window. Raises ValueError for shapes that do not fit,
    InvalidArgumentError for images that are too small.
    """
    first, second, largest = _compared("ssim", img1, img2, max_val)
    window = _gaussian_window("ssim", filter_size, filter_sigma, first.shape)
    luminance, contrast = _similarity(first, second, largest, window, k1, k2)
    both = luminance * contrast
    return jnp.mean(both if return_index_map else jnp.mean(both, (-3, -2)), -1)


@exported("image.ssim_multiscale")
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _POWER_FACTORS,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Tensor:
    """Returns the similarity over several scales, each half as large as the one before: float32 of shape (...).

    It is that of Wang, Simoncelli, Bovik, "Multiscale structural similarity for image quality assessment" (2003), with one
    power for each scale. Raises as `ssim` does, also for images that are too small at a scale.
    """
    first, second, largest = _compared("ssim_multiscale", img1, img2, max_val)
    of_scales = []
    for scale in range(len(power_factors)):
        if scale:
            first, second = _halved(first), _halved(second)
        window = _gaussian_window("ssim_multiscale", filter_size, filter_sigma, first.shape)
        luminance, contrast = _similarity(first, second, largest, window, k1, k2)
        last = scale == len(power_factors) - 1
        of_scales.append(jax.nn.relu(jnp.mean(luminance * contrast if last else contrast, (-3, -2))))
    powers = np.array(power_factors, np.float32)
    return jnp.mean(jnp.prod(jnp.stack(of_scales, -1) ** powers, -1), -1)


def _gaussian_window(name: str, size: Any, sigma: Any, shape: tuple[int, ...]) -> Tensor:
    """Weights that sum to 1: (size, size). Raises InvalidArgumentError for images that are smaller."""
    width = static_int(size, "a tensor is the size of a window")
    if min(shape[-3:-1]) < width:
        raise InvalidArgumentError(
            f"tf.image.{name}: images of {shape[-3]} by {shape[-2]} pixels are smaller than the window, filter_size={width}"
            "; each scale after the first is half as large. Take a smaller filter_size, or fewer power_factors."
        )
    places = np.arange(width, dtype=np.float32) - np.float32((width - 1) / 2)
    exponents = np.square(places) * (-0.5 / jnp.square(tensor(sigma).astype(np.float32)))
    return jax.nn.softmax((exponents[None] + exponents[:, None]).ravel()).reshape(width, width)


def _similarity(
    first: Tensor, second: Tensor, largest: Tensor, window: Tensor, k1: Any, k2: Any
) -> tuple[Tensor, Tensor]:
    """Luminance, and contrast with structure, for each place of the window and each channel."""
    channels = first.shape[-1]
    filters = jnp.tile(window[:, :, None, None], (1, 1, channels, 1))

    def smooth(array: Tensor) -> Tensor:
        flat = depthwise_conv2d(array.reshape(-1, *array.shape[-3:]), filters, [1, 1, 1, 1], "VALID")
        return flat.reshape(*array.shape[:-3], *flat.shape[1:])

    c1, c2 = ((tensor(k).astype(np.float32) * largest) ** 2 for k in (k1, k2))
    mean1, mean2 = smooth(first), smooth(second)
    product, squares = mean1 * mean2 * 2, jnp.square(mean1) + jnp.square(mean2)
    of_products = smooth(first * second) * 2
    of_squares = smooth(jnp.square(first) + jnp.square(second))
    luminance = (product + c1) / (squares + c1)
    return luminance, (of_products - product + c2) / (of_squares - squares + c2)


def _halved(array: Tensor) -> Tensor:
    """Images of half the height and width; an odd last row or column is there twice."""
    flat = array.reshape(-1, *array.shape[-3:])
    odd = [(0, size % 2) for size in flat.shape[1:3]]
    smaller = avg_pool2d(jnp.pad(flat, ((0, 0), *odd, (0, 0)), "symmetric"), 2, 2, "VALID")
    return smaller.reshape(*array.shape[:-3], *smaller.shape[1:])


accept_symbols(globals())
