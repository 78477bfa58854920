"""`tf.image`'s losses of quality: an image is encoded as a JPEG file and decoded again."""

from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops._convert import Tensor, is_traced, need_value, on_device, static_int, tensor
from stratagem._ops.image_files._decoding import scaled
from stratagem._ops.image_files._jpeg import jpeg_data, jpeg_pixels
from stratagem._ops.sampling import stateless_uniform, uniform


@exported("image.adjust_jpeg_quality")
@host_function
def adjust_jpeg_quality(image: Any, jpeg_quality: Any, name: str | None = None) -> Tensor:
    """Returns an image, (height, width, 1 or 3), as a JPEG file of this quality (0 to 100) shows it, in its dtype.

    Floating point is cut to 0 to 1. Runs outside of compiled steps, as all that makes files.

    Raises:
        InvalidArgumentError: another shape or quality.
    """
    what = "tf.image.adjust_jpeg_quality"
    if is_traced(image):
        need_value(f"{what} makes a file of the image")
    pixels = np.asarray(tensor(image))
    quality = static_int(jpeg_quality, "a tensor is the quality of a JPEG file")
    data = jpeg_data(scaled(pixels, np.dtype(np.uint8)), quality, what)
    return on_device(scaled(jpeg_pixels(data, what, pixels.shape[-1]), pixels.dtype))


@exported("image.random_jpeg_quality")
def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None) -> Tensor:
    """Returns `adjust_jpeg_quality` of a random quality from `min_jpeg_quality` to below `max_jpeg_quality`.

    Raises:
        ValueError: no range within 0 to 100.
    """
    _refuse_range(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, "int32", seed=seed)
    return adjust_jpeg_quality(image, quality)


@exported("image.stateless_random_jpeg_quality", v1=())
def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Tensor:
    """Returns `random_jpeg_quality` with a quality that the seed, two integers, decides: TensorFlow's.

    Raises:
        ValueError: no range within 0 to 100.
    """
    _refuse_range(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, "int32")
    return adjust_jpeg_quality(image, quality)


def _refuse_range(low: int, high: int) -> None:
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError(f"jpeg encoding range must be between 0 and 100, got {low} to {high}.")
    if low >= high:
        raise ValueError(f"`min_jpeg_quality` must be less than `max_jpeg_quality`, got {low} and {high}.")
