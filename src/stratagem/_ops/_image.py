"""Functions of `tf.image`, for images of shape (height, width, channels) or batches of them."""

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.types import DTypeLike, ShapeLike, TensorLike
from stratagem._ops._arrays import cast, saturate_cast
from stratagem._ops._convert import Tensor, static_shape, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._ops._symbolic import accept_symbols

_METHODS = {
    "bilinear": "linear",
    "nearest": "nearest",
    "bicubic": "cubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
}


def resize(
    images: TensorLike,
    size: ShapeLike,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images to another height and width; float32, except that `nearest` keeps the dtype.

    Raises ValueError for an unknown method.
    """
    if method not in _METHODS:
        raise ValueError(f"method is one of {sorted(_METHODS)}, got {method!r}.")
    array, (height, width) = tensor(images), static_shape(size)
    if preserve_aspect_ratio:
        scale = min(height / array.shape[-3], width / array.shape[-2])
        height, width = (round(scale * d) for d in array.shape[-3:-1])
    pixels = array if method == "nearest" else array.astype(np.float32)
    shape = (*array.shape[:-3], height, width, array.shape[-1])
    return jax.image.resize(pixels, shape, _METHODS[method], antialias)


def flip_left_right(image: TensorLike) -> Tensor:
    """Flips images horizontally, left to right."""
    return jnp.flip(tensor(image), -2)


def flip_up_down(image: TensorLike) -> Tensor:
    """Flips images vertically, top to bottom."""
    return jnp.flip(tensor(image), -3)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts three channels to one of brightness, keeping the dtype."""
    array = tensor(images)
    gray = jnp.sum(
        convert_image_dtype(array, "float32") * np.array([0.2989, 0.5870, 0.1140], np.float32), -1, keepdims=True
    )
    return convert_image_dtype(gray, array.dtype)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Scales every image to mean 0 and variance 1, float32; an image of one color becomes 0."""
    array = tensor(image).astype(np.float32)
    axes = (-3, -2, -1)
    mean = jnp.mean(array, axes, keepdims=True)
    min_deviation = 1 / np.sqrt(np.float32(np.prod(array.shape[-3:])))
    return (array - mean) / jnp.maximum(jnp.std(array, axes, keepdims=True), min_deviation)


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """Converts images to another dtype: floating point ranges from 0 to 1, integers from 0 to their largest value."""
    array, wanted = tensor(image), as_dtype(dtype)
    given = as_dtype(array.dtype)
    convert = saturate_cast if saturate else cast
    if given == wanted:
        return array
    if given.is_floating:
        return cast(array, wanted) if wanted.is_floating else convert(array * (wanted.max + 0.5), wanted)
    if wanted.is_floating:
        return cast(array, wanted) * (1 / given.max)
    if given.max > wanted.max:
        return convert(array // ((given.max + 1) // (wanted.max + 1)), wanted)
    return convert(cast(array, wanted) * ((wanted.max + 1) // (given.max + 1)), wanted)


accept_symbols(globals())
