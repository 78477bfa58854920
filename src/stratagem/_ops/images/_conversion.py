"""Types and ranges of the pixels of `tf.image`: conversion between integers and floating point, standardization."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._arrays import cast, saturate_cast
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._shapes import at_least_an_image


@exported("image.convert_image_dtype")
def convert_image_dtype(image: Any, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """Converts images to another dtype: floating point ranges from 0 to 1, integers from 0 to their largest value.

    saturate: numbers outside of the range become its ends. Raises AttributeError for dtypes that are no numbers of these kinds.
    """
    array, wanted = tensor(image), as_dtype(dtype)
    given = as_dtype(array.dtype)
    if not all(kind.is_floating or kind.is_integer for kind in (given, wanted)):
        raise AttributeError(
            f"tf.image.convert_image_dtype converts integers and floating point, not {given!r} to {wanted!r}: use tf.cast."
        )
    convert = saturate_cast if saturate else cast
    if given == wanted:
        return array
    if given.is_floating:
        return cast(array, wanted) if wanted.is_floating else convert(array * (wanted.max + 0.5), wanted)
    if wanted.is_floating:
        return cast(array, wanted) * (1 / given.max)
    if given.max > wanted.max:
        return convert(array // ((given.max + 1) // (wanted.max + 1)), wanted)
    return convert(array, wanted) * ((wanted.max + 1) // (given.max + 1))


@exported("image.per_image_standardization")
def per_image_standardization(image: Any) -> Tensor:
    """Scales every image (..., height, width, channels) to mean 0 and variance 1, float32; an image of one color becomes 0.

    Raises ValueError for fewer than three dimensions.
    """
    array = at_least_an_image("per_image_standardization", image).astype(np.float32)
    axes = (-3, -2, -1)
    mean = jnp.mean(array, axes, keepdims=True)
    pixels = np.float32(np.prod(array.shape[-3:]))
    least = 1 / np.sqrt(pixels) if pixels else np.float32(np.inf)
    return (array - mean) / jnp.maximum(jnp.std(array, axes, keepdims=True), least)


accept_symbols(globals())
