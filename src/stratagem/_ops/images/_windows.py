"""Windows of images: boxes that are cut out and resized, glimpses, patches."""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._ops._convert import Tensor, allow_x64, is_traced, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._shapes import batch_of
from stratagem._ops.nn._windows import dilated, entries, layout_of, padded, padding_of, spatial_numbers
from stratagem._ops.sampling import normal, uniform

_NOISES: Final = ("uniform", "gaussian", "zero")


@exported("image.crop_and_resize", v1=())
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: ShapeLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cuts boxes out of the images of a batch and resizes each: float32 (boxes, height, width, channels).

    boxes: (boxes, 4), their corners y1, x1, y2, x2, where 0 and 1 are the first and the last pixel's centre; places outside of
    the image get extrapolation_value. box_indices: (boxes,), the image of each. It has gradients of images and boxes; those of
    boxes with `nearest` are those of `bilinear`. Raises InvalidArgumentError for shapes that do not fit, for a size that is not
    positive and for an index of no image, where it is known; inside of a step such an image is 0. ValueError: unknown method.
    """
    array = batch_of("crop_and_resize", image)
    corners, owners = tensor(boxes, None).astype(np.float32), tensor(box_indices)
    size = static_shape(crop_size)
    _check_boxes(array, corners, owners, size)
    if method not in ("bilinear", "nearest"):
        raise InvalidArgumentError(f"tf.image.crop_and_resize: method is 'bilinear' or 'nearest', got {method!r}.")
    pixels = array.astype(np.float32)
    sampled = (
        _nearest(pixels, corners, owners, size) if method == "nearest" else _between(pixels, corners, owners, size)
    )
    inside = _inside(pixels, corners, size)
    return jnp.where(inside, sampled, np.float32(extrapolation_value))


def _check_boxes(array: Tensor, corners: Tensor, owners: Tensor, size: tuple[int, ...]) -> None:
    if corners.ndim != 2 or corners.shape[1] != 4 or owners.shape != corners.shape[:1]:
        raise InvalidArgumentError(
            f"tf.image.crop_and_resize takes boxes (n, 4) and box_indices (n,), got {corners.shape} and {owners.shape}."
        )
    if len(size) != 2 or min(size) <= 0:
        raise InvalidArgumentError(f"tf.image.crop_and_resize: crop_size is [height, width], got {list(size)}.")
    if not is_traced(owners) and owners.size and not 0 <= int(owners.min()) <= int(owners.max()) < array.shape[0]:
        raise InvalidArgumentError(
            f"tf.image.crop_and_resize: box_indices are from 0 to {array.shape[0] - 1}, one for each image, got {owners}."
        )


def _places(low: Tensor, high: Tensor, old: int, new: int) -> Tensor:
    """The places of the pixels of boxes along one dimension: (boxes, new)."""
    if new == 1:
        return (0.5 * (low + high) * (old - 1))[:, None]
    return low[:, None] * (old - 1) + np.arange(new, dtype=np.float32) * ((high - low) * (old - 1) / (new - 1))[:, None]


def _both_places(array: Tensor, corners: Tensor, size: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    top, left, bottom, right = (corners[:, corner] for corner in range(4))
    height, width = array.shape[1:3]
    return _places(top, bottom, height, size[0]), _places(left, right, width, size[1])


def _inside(array: Tensor, corners: Tensor, size: tuple[int, ...]) -> Tensor:
    """True where a place lies in the image: (boxes, height, width, 1)."""
    rows, columns = _both_places(array, corners, size)
    row_inside = (rows >= 0) & (rows <= array.shape[1] - 1)
    column_inside = (columns >= 0) & (columns <= array.shape[2] - 1)
    return (row_inside[:, :, None] & column_inside[:, None, :])[..., None]


def _at(array: Tensor, owners: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The pixels at whole rows and columns of each box's image: (boxes, height, width, channels)."""
    row_numbers = jnp.clip(jnp.nan_to_num(rows), 0, array.shape[1] - 1).astype(np.int32)
    column_numbers = jnp.clip(jnp.nan_to_num(columns), 0, array.shape[2] - 1).astype(np.int32)
    return array.at[owners[:, None, None], row_numbers[:, :, None], column_numbers[:, None, :]].get(
        mode="fill", fill_value=0
    )


def _between(array: Tensor, corners: Tensor, owners: Tensor, size: tuple[int, ...]) -> Tensor:
    """The colors at the places of boxes, each between four pixels."""
    rows, columns = _both_places(array, corners, size)
    top, left = jnp.floor(rows), jnp.floor(columns)
    bottom, right = jnp.ceil(rows), jnp.ceil(columns)
    down, across = (rows - top)[:, :, None, None], (columns - left)[:, None, :, None]
    above_left, above_right = _at(array, owners, top, left), _at(array, owners, top, right)
    below_left, below_right = _at(array, owners, bottom, left), _at(array, owners, bottom, right)
    above = above_left + (above_right - above_left) * across
    below = below_left + (below_right - below_left) * across
    return above + (below - above) * down


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _nearest(array: Tensor, corners: Tensor, owners: Tensor, size: tuple[int, ...]) -> Tensor:
    """The pixel nearest to each place. Boxes have the derivative of `_between`, as in TensorFlow."""
    # Half a pixel is rounded up, as C does it: places inside of the image are positive.
    rows, columns = (jnp.floor(places + 0.5) for places in _both_places(array, corners, size))
    picked = _at(array, owners, rows, columns)
    # So that it is seen to depend on the boxes, which rounding ends; a place that is no number is outside.
    unrounded = _both_places(array, corners, size)[0][:, :, None, None]
    return jnp.where(jnp.isnan(unrounded), unrounded, picked)


@_nearest.defjvp
def _nearest_tangent(
    size: tuple[int, ...], values: tuple[Tensor, Tensor, Tensor], tangents: tuple[Tensor, Tensor, Tensor]
) -> tuple[Tensor, Tensor]:
    array, corners, owners = values
    of_boxes = jax.jvp(lambda own: _between(array, own, owners, size), (corners,), (tangents[1],))[1]
    return _nearest(*values, size), _nearest(tangents[0], corners, owners, size) + of_boxes


@exported("image.extract_patches")
def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """The pixels of each window of a batch, one after the other: (n, rows, columns, height * width of the window * channels).

    sizes, strides, and rates, the distance of pixels within a window: (1, height, width, 1). padding: SAME, with zeros, or
    VALID. Raises InvalidArgumentError for another rank.
    """
    array = batch_of("extract_patches", images)
    layout = layout_of("image.extract_patches", None, 2)
    windows, steps, gaps = (
        spatial_numbers(given, layout, what)
        for given, what in ((sizes, "sizes"), (strides, "strides"), (rates, "rates"))
    )
    pads = padded(padding_of(padding, layout), layout.spatial(array.shape), dilated(windows, gaps), steps)
    with allow_x64(array.dtype):
        whole = jnp.pad(array, layout.whole(pads, (0, 0), (0, 0)))
        found = entries(whole, *(layout.whole(numbers, 1, 1) for numbers in (windows, steps, gaps)))
        return jnp.concatenate(list(found), -1)


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """Does what `tf.image.extract_patches` does, with TensorFlow 1's arguments: `ksizes` are the sizes."""
    wanted = ksizes if sizes is None else sizes
    if wanted is None or strides is None or rates is None or padding is None:
        raise ValueError("tf.compat.v1.extract_image_patches needs ksizes, strides, rates and padding.")
    return extract_patches(images, wanted, strides, rates, padding)


@exported("image.extract_glimpse", v1=())
def extract_glimpse(
    input: Any,
    size: ShapeLike,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Cuts a window of one size out of each image of a batch; what is outside of the image is noise: float32.

    offsets: (n, 2), the row and column of each window's first pixel, from the image's first, or `centered` from its middle.
    normalized: in shares of the image; with `centered` from -1 to 1, and of the window's middle. noise: uniform, gaussian or
    zero. Raises InvalidArgumentError for shapes that do not fit and for another noise.
    """
    return _glimpses(input, size, offsets, centered, noise, normalized, first=False)


def extract_first_glimpse(
    input: Any,
    size: ShapeLike,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Does what `tf.image.extract_glimpse` does, but offsets always say where the middle is: TensorFlow 1's function."""
    return _glimpses(input, size, offsets, centered, _NOISES[not uniform_noise], normalized, first=True)


def _glimpses(
    input: Any,
    size: ShapeLike,
    offsets: Any,
    centered: bool,
    noise: str,
    normalized: bool,
    *,
    first: bool,
) -> Tensor:
    array, places, window = batch_of("extract_glimpse", input).astype(np.float32), tensor(offsets), static_shape(size)
    if places.shape != (array.shape[0], 2) or len(window) != 2 or min(window) <= 0:
        raise InvalidArgumentError(
            f"tf.image.extract_glimpse takes size [height, width] and offsets ({array.shape[0]}, 2), one for each image, got "
            f"{list(window)} and the shape {places.shape}."
        )
    if noise not in _NOISES:
        raise InvalidArgumentError(f"tf.image.extract_glimpse: noise is one of {', '.join(_NOISES)}, got {noise!r}.")
    start = _first_pixels(array.shape, window, places.astype(np.float32), centered, normalized, first)
    rows = start[:, :1] + np.arange(window[0])
    columns = start[:, 1:] + np.arange(window[1])
    inside = ((rows >= 0) & (rows < array.shape[1]))[:, :, None] & ((columns >= 0) & (columns < array.shape[2]))[
        :, None, :
    ]
    images = np.arange(array.shape[0])
    found = array[
        images[:, None, None],
        jnp.clip(rows, 0, array.shape[1] - 1)[:, :, None],
        jnp.clip(columns, 0, array.shape[2] - 1)[:, None, :],
    ]
    return jnp.where(inside[..., None], found, _noise(noise, found.shape))


def _first_pixels(
    shape: tuple[int, ...],
    window: tuple[int, ...],
    places: Tensor,
    centered: bool,
    normalized: bool,
    first: bool,
) -> Tensor:
    """The first row and column of each window: (n, 2), int32."""
    sizes, half = np.array(shape[1:3], np.float32), np.array(window, np.float32) / 2
    if normalized:
        places = places * sizes
    if centered:
        places = (places / 2 if normalized or first else places) + sizes / 2
    if first or (centered and normalized):
        places = places - half
    return places.astype(np.int32)


def _noise(kind: str, shape: tuple[int, ...]) -> Tensor:
    if kind == "zero":
        return jnp.zeros(shape, np.float32)
    return uniform(shape) if kind == "uniform" else normal(shape)


accept_symbols(globals())
