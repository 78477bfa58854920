"""Resizing of `tf.image`, and of `tf.compat.v1.image`, whose pixels lie elsewhere."""

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._core.step import PixelSums, has_unknown_sizes, sized_call
from stratagem._ops._convert import Tensor, static_int, static_shape
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._geometry import pad_to_bounding_box
from stratagem._ops.images._on_host import Convert, picked, resampled
from stratagem._ops.images._shapes import batch_of, image_or_batch
from stratagem._ops.images._taps import KERNELS, Grid, Taps, area, bicubic, bilinear, filtered, nearest

_WITHOUT_FILTER: Final = {"bilinear": bilinear, "bicubic": bicubic, "area": area}
_FIRST_METHODS: Final = ("bilinear", "nearest", "bicubic", "area")  # of TensorFlow 1, by their numbers
_Size = tuple[int, int]


@exported("image.ResizeMethod", v1=())
class ResizeMethod:
    """The methods of `tf.image.resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


@exported(v1=["image.ResizeMethod"])
class FirstResizeMethod:
    """The methods of `tf.compat.v1.image.resize`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


@exported("image.resize", v1=())
def resize(
    images: Any,
    size: ShapeLike,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes an image or a batch to another height and width; float32, except that `nearest` keeps the dtype.

    method: one of `tf.image.ResizeMethod`. antialias: averages over the pixels that a smaller image leaves out, of no effect
    for `nearest` and `area`. preserve_aspect_ratio: `size` is the largest height and width. Raises ValueError for an unknown
    method, another rank or a size that is not two numbers, InvalidArgumentError for an empty image.
    """
    array = image_or_batch("resize", images)
    new = _new_size("resize", array, size, preserve_aspect_ratio)
    if has_unknown_sizes(array.shape) and array.ndim == 3:
        return _resize_later(array, new, method, antialias)
    if method == "nearest":
        return _picked("resize", array, new, half=True, corners=False)
    return _resized("resize", array, new, _taps_of(method, antialias), half=True, corners=False)


def resize_on_host(image: np.ndarray, size: _Size, method: str, antialias: bool = False) -> np.ndarray:
    """Returns what `resize` makes of one image, by NumPy. Raises as `resize` does."""
    _checked("resize", image, size)
    if method == "nearest":
        return picked(image, size)
    return resampled(image, size, _taps_of(method, antialias))


def _resize_later(array: Tensor, new: _Size, method: str, antialias: bool) -> Tensor:
    """The result for an image whose sizes the trace does not know: the host computes it."""
    kind = array.dtype if method == "nearest" else np.float32
    if method == "nearest":
        resized: Callable[..., np.ndarray] = functools.partial(resize_on_host, size=new, method=method)
    else:
        resized = _SumsOverTaps(new, _taps_of(method, antialias))
    again = functools.partial(resize, size=new, method=method, antialias=antialias)
    shape = (*new, array.shape[-1])
    return sized_call(resized, array, shape=shape, dtype=kind, compiled=again, selects=method == "nearest")


@final
@dataclass(frozen=True, eq=False)
class _SumsOverTaps(PixelSums):
    """Makes of one image on the host what `resize` does."""

    size: _Size
    taps: Callable[[Grid], Taps]
    convert: Convert | None = None
    part: _Size | None = None

    def __call__(self, image: np.ndarray, *first: np.ndarray) -> np.ndarray:
        _checked("resize", image, self.size)
        if self.part is None:
            return resampled(image, self.size, self.taps, convert=self.convert)
        row, column = (
            min(max(int(place), 0), whole - part)
            for place, whole, part in zip(first, self.size, self.part, strict=True)
        )
        return resampled(image, self.size, self.taps, convert=self.convert, part=((row, column), self.part))

    def of_part(self, size: _Size) -> "PixelSums":
        return dataclasses.replace(self, part=size)

    def of_converted(self, convert: Convert) -> "PixelSums":
        return dataclasses.replace(self, convert=convert)


@functools.cache
def _taps_of(method: str, antialias: bool) -> Callable[[Grid], Taps]:
    """Returns what a method other than `nearest` makes a pixel of. Raises ValueError for an unknown one."""
    if method in _WITHOUT_FILTER and not (antialias and method in KERNELS):
        return _WITHOUT_FILTER[method]
    if method in KERNELS:
        return lambda grid: filtered(grid, KERNELS[method], antialias)
    raise ValueError(f"tf.image.resize: method is one of {', '.join(['nearest', 'area', *KERNELS])}, got {method!r}.")


@exported("image.resize_with_pad", v1=())
def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = "bilinear", antialias: bool = False
) -> Tensor:
    """Resizes an image or a batch to the largest size within the target that keeps their proportions; zeros are around it.

    Raises ValueError for sizes that are not positive, and as `resize` does.
    """
    array = image_or_batch("resize_with_pad", image)
    return _with_pad(array, target_height, target_width, lambda size: resize(array, size, method, antialias=antialias))


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any | str = 0,
    align_corners: bool = False,
) -> Tensor:
    """Resizes as `tf.image.resize_with_pad` does, with the pixels' places of TensorFlow 1."""
    array = image_or_batch("resize_image_with_pad", image)
    return _with_pad(array, target_height, target_width, lambda size: resize_images(array, size, method, align_corners))


def _with_pad(array: Tensor, height: Any, width: Any, resized: Callable[[_Size], Tensor]) -> Tensor:
    """The result of `resized` with the largest size that fits, and zeros around it. The size is that of float32 arithmetic."""
    target = tuple(static_int(n, "a tensor is the size of an image") for n in (height, width))
    if min(target) <= 0:
        raise ValueError(f"target_height and target_width are positive, got {target[0]} and {target[1]}.")
    own = np.array(array.shape[-3:-1], np.float32)
    fitting = own / np.max(own / np.array(target, np.float32))
    rows, columns = np.floor(fitting).astype(int).tolist()
    top, left = np.maximum(np.floor((np.array(target, np.float32) - fitting) / 2), 0).astype(int).tolist()
    return pad_to_bounding_box(resized((rows, columns)), top, left, *target)


def _new_size(name: str, array: Tensor, size: ShapeLike, preserve_aspect_ratio: bool) -> _Size:
    """The height and width of the result, which TensorFlow computes in float32. Raises ValueError for what is no size."""
    given = static_shape(size)
    if len(given) != 2:
        raise ValueError(f"tf.image.{name}: size is [height, width], got {size!r}.")
    if not preserve_aspect_ratio:
        return given[0], given[1]
    own = np.array(array.shape[-3:-1], np.float32)
    height, width = np.rint(np.min(np.array(given, np.float32) / own) * own).astype(int).tolist()
    return height, width


def _checked(name: str, array: Tensor | np.ndarray, new: _Size) -> None:
    if min(new) <= 0 or min(array.shape[-3:]) == 0:
        raise InvalidArgumentError(
            f"tf.image.{name}: images of the shape {array.shape} cannot be made {new[0]} by {new[1]}: no size may be 0."
        )


def _picked(name: str, array: Tensor, new: _Size, *, half: bool, corners: bool) -> Tensor:
    _checked(name, array, new)
    rows, columns = (nearest(Grid(old, size, half, corners)) for old, size in zip(array.shape[-3:-1], new, strict=True))
    return jnp.take(jnp.take(array, rows, -3), columns, -2)


def _resized(
    name: str, array: Tensor, new: _Size, taps: Callable[[Grid], Taps], *, half: bool, corners: bool
) -> Tensor:
    _checked(name, array, new)
    sizes = zip(array.shape[-3:-1], new, strict=True)
    rows, columns = (taps(Grid(old, size, half, corners)).matrix(old) for old, size in sizes)
    pixels = array.astype(np.float32)
    return jnp.einsum("...hwc,Hh,Ww->...HWc", pixels, rows, columns, precision=jax.lax.Precision.HIGHEST)


def resize_images(
    images: Any,
    size: ShapeLike,
    method: Any | str = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes an image or a batch as TensorFlow 1 did: pixels lie at whole numbers, or with `align_corners` between corners.

    method: a number of `tf.compat.v1.image.ResizeMethod`, or its name. Images of that size already are returned as they are,
    others float32, except that method 1, nearest, keeps the dtype. Raises as `tf.image.resize` does.
    """
    array = image_or_batch("resize_images", images)
    new = _new_size("resize_images", array, size, preserve_aspect_ratio)
    if new == tuple(array.shape[-3:-1]):
        return array
    chosen = _FIRST_METHODS.index(method) if method in _FIRST_METHODS else method
    if chosen not in range(len(_FIRST_METHODS)):
        raise ValueError(f"tf.compat.v1.image.resize: method is a number from 0 to 3 or one of {_FIRST_METHODS}.")
    if has_unknown_sizes(array.shape):
        again = functools.partial(resize_images, size=new, method=chosen, align_corners=align_corners)
        shape = (*array.shape[:-3], *new, array.shape[-1])
        kind = array.dtype if chosen == 1 else np.float32
        return sized_call(_called_on_host(again), array, shape=shape, dtype=kind, compiled=again)
    if chosen == 1:
        return _picked("resize_images", array, new, half=False, corners=align_corners)
    return _resized(
        "resize_images", array, new, _WITHOUT_FILTER[_FIRST_METHODS[int(chosen)]], half=False, corners=align_corners
    )


def _called_on_host(function: Callable[..., Tensor]) -> Callable[..., np.ndarray]:
    return lambda *arrays: np.asarray(function(*arrays))


def resize_bilinear(
    images: Any,
    size: ShapeLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes a batch between the two pixels around each place; float32. Raises InvalidArgumentError for another rank."""
    return _first("resize_bilinear", images, size, bilinear, align_corners, half_pixel_centers)


def resize_bicubic(
    images: Any,
    size: ShapeLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes a batch by cubic polynomials; float32. Raises InvalidArgumentError for another rank."""
    return _first("resize_bicubic", images, size, bicubic, align_corners, half_pixel_centers)


def resize_area(images: Any, size: ShapeLike, align_corners: bool = False, name: str | None = None) -> Tensor:
    """Resizes a batch by averaging over the area of each new pixel; float32. Raises InvalidArgumentError for another rank."""
    return _first("resize_area", images, size, area, align_corners, half_pixel_centers=False)


def resize_nearest_neighbor(
    images: Any,
    size: ShapeLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes a batch by taking the pixel at each place; keeps the dtype. Raises InvalidArgumentError for another rank."""
    array = batch_of("resize_nearest_neighbor", images)
    new = _first_size("resize_nearest_neighbor", array, size, align_corners, half_pixel_centers)
    return _picked("resize_nearest_neighbor", array, new, half=half_pixel_centers, corners=align_corners)


def _first(
    name: str,
    images: Any,
    size: ShapeLike,
    taps: Callable[[Grid], Taps],
    align_corners: bool,
    half_pixel_centers: bool,
) -> Tensor:
    array = batch_of(name, images)
    new = _first_size(name, array, size, align_corners, half_pixel_centers)
    if has_unknown_sizes(array.shape):
        again = functools.partial(
            _first, name, size=new, taps=taps, align_corners=align_corners, half_pixel_centers=half_pixel_centers
        )
        shape = (*array.shape[:-3], *new, array.shape[-1])
        return sized_call(_called_on_host(again), array, shape=shape, dtype=np.float32, compiled=again)
    return _resized(name, array, new, taps, half=half_pixel_centers, corners=align_corners)


def _first_size(name: str, array: Tensor, size: ShapeLike, corners: bool, half: bool) -> _Size:
    if corners and half:
        raise InvalidArgumentError(
            f"tf.compat.v1.image.{name}: align_corners and half_pixel_centers say where pixels are; choose one."
        )
    return _new_size(name, array, size, False)


accept_symbols(globals())
