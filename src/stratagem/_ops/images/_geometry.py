"""The geometry of `tf.image`: flips, rotations, crops and paddings, in which pixels keep their values."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.step import has_unknown_sizes, sized_call
from stratagem._ops._convert import Tensor, allow_x64, is_traced, static_int, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._on_host import cropped_or_padded
from stratagem._ops.images._shapes import image_or_batch

_HEIGHT, _WIDTH = -3, -2


@exported("image.flip_left_right")
def flip_left_right(image: Any) -> Tensor:
    """Returns an image or a batch mirrored horizontally, left to right. Raises ValueError for another rank."""
    return jnp.flip(image_or_batch("flip_left_right", image), _WIDTH)


@exported("image.flip_up_down")
def flip_up_down(image: Any) -> Tensor:
    """Returns an image or a batch mirrored vertically, top to bottom. Raises ValueError for another rank."""
    return jnp.flip(image_or_batch("flip_up_down", image), _HEIGHT)


@exported("image.rot90")
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Returns an image or a batch rotated counter-clockwise by 90 degrees, k times; k is a known number.

    Raises ValueError for another rank.
    """
    array = image_or_batch("rot90", image)
    return jnp.rot90(array, static_int(k, "a tensor is the number of rotations") % 4, (_HEIGHT, _WIDTH))


@exported("image.transpose", v1=())
def transpose_image(image: Any, name: str | None = None) -> Tensor:
    """Returns an image or a batch with height and width exchanged: `tf.image.transpose`. Raises ValueError for another rank."""
    return jnp.swapaxes(image_or_batch("transpose", image), _HEIGHT, _WIDTH)


@exported("image.central_crop")
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """Returns the middle of an image or a batch, with this fraction of its height and width.

    central_fraction: a known number above 0 and up to 1. Raises ValueError for another number or rank.
    """
    array = image_or_batch("central_crop", image)
    if is_traced(central_fraction):
        static_int(central_fraction, "a tensor is the fraction of a crop")
    fraction = float(tensor(central_fraction)) if not isinstance(central_fraction, float) else central_fraction
    if not 0.0 < fraction <= 1.0:
        raise ValueError(f"tf.image.central_crop: central_fraction is above 0 and at most 1, got {fraction}.")
    top, left = (int((size - size * fraction) / 2) for size in array.shape[_HEIGHT:-1])
    height, width = array.shape[_HEIGHT:-1]
    return array[..., top : height - top, left : width - left, :]


@exported("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Returns the part of an image or a batch that begins at the offsets and has the target size, which is known.

    Raises ValueError for another rank, and for a part that is empty or reaches outside; offsets that are not known yet are
    moved inside instead.
    """
    array = image_or_batch("crop_to_bounding_box", image)
    size = _known_sizes("crop_to_bounding_box", target_height, target_width)
    offsets = (offset_height, offset_width)
    for what, offset, own, target in zip(("height", "width"), offsets, array.shape[_HEIGHT:-1], size, strict=True):
        known = None if is_traced(offset) else int(tensor(offset))
        if target > own or (known is not None and not 0 <= known <= own - target):
            raise ValueError(
                f"tf.image.crop_to_bounding_box: offset_{what} {offset} and target_{what} {target} reach outside of images "
                f"with the {what} {own}. tf.image.resize_with_crop_or_pad pads what is too small."
            )
    return _cut(array, offsets, size)


def _cut(array: Tensor, offsets: tuple[Any, Any], size: tuple[int, int]) -> Tensor:
    """The part of images at these offsets, which may be traced."""
    if any(map(is_traced, offsets)):
        rows, columns = (tensor(offset).astype(np.int32) for offset in offsets)
        with allow_x64(array.dtype):
            return jax.lax.dynamic_slice_in_dim(
                jax.lax.dynamic_slice_in_dim(array, rows, size[0], array.ndim + _HEIGHT),
                columns, size[1], array.ndim + _WIDTH,
            )  # fmt: skip
    top, left = (int(tensor(offset)) for offset in offsets)
    return array[..., top : top + size[0], left : left + size[1], :]


@exported("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Returns an image or a batch with zeros around it: so many rows above and columns at the left, and the target size.

    Raises ValueError for another rank, for negative offsets, and for a target that is too small; offsets that are not known
    yet are moved to where the image fits.
    """
    array = image_or_batch("pad_to_bounding_box", image)
    size = [static_int(s, "a tensor is the size of a padded image") for s in (target_height, target_width)]
    offsets = (offset_height, offset_width)
    for what, offset, own, target in zip(("height", "width"), offsets, array.shape[_HEIGHT:-1], size, strict=True):
        known = None if is_traced(offset) else int(tensor(offset))
        if own > target or (known is not None and not 0 <= known <= target - own):
            raise ValueError(
                f"tf.image.pad_to_bounding_box: images with the {what} {own} do not fit into target_{what} {target} at "
                f"offset_{what} {offset}. tf.image.resize_with_crop_or_pad crops what is too large."
            )
    with allow_x64(array.dtype):
        whole = jnp.zeros((*array.shape[:_HEIGHT], *size, array.shape[-1]), array.dtype)
        places = [tensor(offset).astype(np.int32) for offset in offsets]
        none = jnp.zeros((), np.int32)
        return jax.lax.dynamic_update_slice(whole, array, [*[none] * (array.ndim - 3), *places, none])


@exported("image.resize_with_crop_or_pad", v1=())
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Returns an image or a batch with the target size: cropped around the middle, or padded with zeros on both sides.

    Raises ValueError for another rank, and for sizes that are not positive.
    """
    array = image_or_batch("resize_with_crop_or_pad", image)
    size = _known_sizes("resize_with_crop_or_pad", target_height, target_width)
    if has_unknown_sizes(array.shape) and array.ndim == 3:
        changed = functools.partial(cropped_or_padded, size=size)
        again = functools.partial(resize_with_crop_or_pad, target_height=size[0], target_width=size[1])
        return sized_call(changed, array, shape=(*size, array.shape[-1]), dtype=array.dtype, compiled=again)
    missing = [target - own for target, own in zip(size, array.shape[_HEIGHT:-1], strict=True)]
    kept = [min(target, own) for target, own in zip(size, array.shape[_HEIGHT:-1], strict=True)]
    (crop_top, crop_left), (pad_top, pad_left) = ([max(sign * n // 2, 0) for n in missing] for sign in (-1, 1))
    cropped = crop_to_bounding_box(array, crop_top, crop_left, kept[0], kept[1])
    return pad_to_bounding_box(cropped, pad_top, pad_left, size[0], size[1])


def _known_sizes(name: str, height: Any, width: Any) -> tuple[int, int]:
    """The sizes as numbers. Raises ValueError unless they are positive."""
    size = tuple(static_int(number, "a tensor is the size of an image") for number in (height, width))
    if min(size) <= 0:
        raise ValueError(f"tf.image.{name}: target_height and target_width are positive, got {size[0]} and {size[1]}.")
    return size[0], size[1]


accept_symbols(globals())
