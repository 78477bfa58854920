"""Projections of images: rotated, sheared, moved, zoomed, seen from the side."""

from typing import Any, Final, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._kernels import computed_once
from stratagem._ops._convert import Tensor, is_traced
from stratagem._private import KerasTransform, replace_affine_transforms

_INTERPOLATIONS: Final = ("nearest", "bilinear")
_FILL_MODES: Final = ("reflect", "wrap", "constant", "nearest")
# Keras' `wrap` repeats an image pixel by pixel, TensorFlow's leaves out half a pixel at each side. Only Keras has `mirror`.
_FILL_MODES_OF_BOTH: Final = ("reflect", "constant", "nearest")


def project(
    images: Tensor,
    transforms: Tensor,
    *,
    output_shape: tuple[int, int] | None = None,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    fill_value: Any = 0.0,
) -> Tensor:
    """Returns images whose pixel (x, y) is that at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1.

    It is TensorFlow's `ImageProjectiveTransformV3`. Where k is 0, a pixel is fill_value. Its gradients are those of the pixels,
    and with `bilinear` of the transforms, too, which TensorFlow's kernel does not have.

    Args:
        images: (n, h, w, c), of any real dtype; integers are interpolated as float32 and cut off.
        transforms: [a0, a1, a2, b0, b1, b2, c0, c1] of each image, (n, 8), or of all, (1, 8).
        output_shape: the height and the width of the result, by default those of the images.
        interpolation: "nearest" or "bilinear".
        fill_mode: of places outside of an image: "constant" (fill_value), "nearest" (the pixel at the edge), "reflect"
            (`d c b a | a b c d | d c b a`) or "wrap" (`a b c d | a b c d | a b c d`).
        fill_value: a number.

    Raises:
        InvalidArgumentError: shapes that do not fit, an unknown interpolation or fill mode.
    """
    interpolation, fill_mode = interpolation.lower(), fill_mode.lower()
    _check(images, transforms, interpolation, fill_mode)
    size = (images.shape[1], images.shape[2])

    def projected(images: Tensor, rows: Tensor) -> Tensor:
        places = _places(rows, *(output_shape or size), size, fill_mode)
        read = _Reader(images, fill_value, jnp.promote_types(images.dtype, np.float32))
        sampled = _nearest(read, *places) if interpolation == "nearest" else _bilinear(read, *places)
        return sampled.astype(images.dtype)

    rows = transforms.astype(np.float32)
    # A program would compute each pixel again for every one that reads it: 16 times for two projections in a row.
    return computed_once(projected, images, rows) if is_traced(images) else projected(images, rows)


def _check(images: Tensor, transforms: Tensor, interpolation: str, fill_mode: str) -> None:
    if images.ndim != 4 or 0 in images.shape[1:3]:
        raise InvalidArgumentError(f"Images to be projected have the shape (n, h, w, c), got {images.shape}.")
    if transforms.ndim != 2 or transforms.shape[1] != 8 or transforms.shape[0] not in (1, images.shape[0]):
        raise InvalidArgumentError(
            f"Projections of {images.shape[0]} images are ({images.shape[0]}, 8) or (1, 8) numbers, got {transforms.shape}."
        )
    for what, given, known in (
        ("interpolation", interpolation, _INTERPOLATIONS),
        ("fill_mode", fill_mode, _FILL_MODES),
    ):
        if given not in known:
            raise InvalidArgumentError(f"{what} is one of {', '.join(known)}, got {given!r}.")


def _places(
    rows: Tensor, height: int, width: int, size: tuple[int, int], fill_mode: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns for each pixel of the results y and x in the image, and whether it has such a place: (n, height, width)."""
    y = np.arange(height, dtype=np.float32)[:, None]
    x = np.arange(width, dtype=np.float32)
    a0, a1, a2, b0, b1, b2, c0, c1 = (rows[:, i, None, None] for i in range(8))
    k = c0 * x + c1 * y + 1
    exists = k != 0
    k = jnp.where(exists, k, 1)
    of_x = _filled((a0 * x + a1 * y + a2) / k, size[1], fill_mode)
    of_y = _filled((b0 * x + b1 * y + b2) / k, size[0], fill_mode)
    return of_y, of_x, jnp.broadcast_to(exists, of_x.shape)


def _filled(place: Tensor, size: int, fill_mode: str) -> Tensor:
    """Returns the place of an image of that size that a place outside of it stands for, as TensorFlow's `MapCoordinate`."""
    if fill_mode == "constant":
        return place
    if size > 1 and fill_mode == "reflect":
        period = 2 * size
        before = jnp.where(place < -period, place + period * jnp.trunc(-place / period), place)
        before = jnp.where(before < -size, before + period, -before - 1)
        after = place - period * jnp.trunc(place / period)
        after = jnp.where(after >= size, period - after - 1, after)
        place = jnp.where(place < 0, before, jnp.where(place > size - 1, after, place))
    elif size > 1 and fill_mode == "wrap":
        before = place + size * (jnp.trunc(-place / (size - 1)) + 1)
        after = place - size * jnp.trunc(place / (size - 1))
        place = jnp.where(place < 0, before, jnp.where(place > size - 1, after, place))
    return jnp.clip(place, 0, size - 1)


@final
class _Reader:
    """Reads pixels of images."""

    def __init__(self, images: Tensor, fill_value: Any, dtype: Any) -> None:
        n, self._height, self._width, channels = images.shape
        self._pixels = images.reshape(-1, channels)
        self._first = (np.arange(n, dtype=np.int32) * self._height * self._width)[:, None, None]
        self.fill_value, self._dtype = jnp.asarray(fill_value, images.dtype).astype(dtype), dtype

    def __call__(self, y: Tensor, x: Tensor) -> Tensor:
        """Returns the pixels at these places, whole numbers: (n, height, width, c); the fill value outside of the images."""
        inside = (y >= 0) & (y < self._height) & (x >= 0) & (x < self._width)
        # A place far outside is not a number of 32 bits.
        row, column = (
            jnp.clip(jnp.nan_to_num(place), 0, size - 1).astype(np.int32)
            for place, size in ((y, self._height), (x, self._width))
        )
        found = self._pixels.at[self._first + row * self._width + column].get(mode="promise_in_bounds")
        return jnp.where(inside[..., None], found.astype(self._dtype), self.fill_value)


def _nearest(read: _Reader, y: Tensor, x: Tensor, exists: Tensor) -> Tensor:
    row, column = (jax.lax.round(place, jax.lax.RoundingMethod.AWAY_FROM_ZERO) for place in (y, x))
    return jnp.where(exists[..., None], read(row, column), read.fill_value)


def _bilinear(read: _Reader, y: Tensor, x: Tensor, exists: Tensor) -> Tensor:
    top, left = jax.lax.floor(y), jax.lax.floor(x)
    down, right = (y - top)[..., None], (x - left)[..., None]
    above = (1 - right) * read(top, left) + right * read(top, left + 1)
    below = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1)
    return jnp.where(exists[..., None], (1 - down) * above + down * below, read.fill_value)


def attach_affine_transforms() -> None:
    """Let Keras' random rotations, zooms, shears and translations read four pixels instead of eight for each channel."""

    def replacement(of_keras: KerasTransform) -> KerasTransform:
        def transform(
            images: Any, rows: Any, interpolation: str, fill_mode: str, fill_value: Any, data_format: str | None
        ) -> Any:
            ranks = getattr(images, "ndim", None), getattr(rows, "ndim", None)
            fits = ranks == (4, 2) and data_format == "channels_last" and jnp.issubdtype(images.dtype, np.floating)
            if not fits or fill_mode not in _FILL_MODES_OF_BOTH or interpolation not in _INTERPOLATIONS:
                return of_keras(images, rows, interpolation, fill_mode, fill_value, data_format)
            affine = jnp.asarray(rows).at[:, 6:].set(0)  # Keras reads six of the eight numbers
            return project(
                jnp.asarray(images), affine, interpolation=interpolation, fill_mode=fill_mode, fill_value=fill_value
            )

        return transform

    replace_affine_transforms(replacement)
