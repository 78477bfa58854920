"""Images on the host, in NumPy: resizing, crops and padding for sizes that differ from image to image.

A program for every size would take 0.1 s to compile.
"""

import functools
from collections.abc import Callable
from typing import Final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops.images._taps import Grid, Taps, nearest

_FEW_TAPS: Final = (
    5  # up to so many, picking columns is faster than going over them as rows, which takes two transpositions
)
_Size = tuple[int, int]
Convert = Callable[[np.ndarray], np.ndarray]  # into memory of its own


def picked(image: np.ndarray, size: _Size) -> np.ndarray:
    """Returns an image, (height, width, channels), of which each new pixel is the nearest old one."""
    rows, columns = (nearest(Grid(old, new)) for old, new in zip(image.shape[:2], size, strict=True))
    return image[rows].take(columns, 1)


def resampled(
    image: np.ndarray,
    size: _Size,
    taps: Callable[[Grid], Taps],
    *,
    convert: Convert | None = None,
    part: tuple[_Size, _Size] | None = None,
) -> np.ndarray:
    """Returns an image, (height, width, channels), of sums over taps: float32.

    convert: what the image's numbers are converted with before, each alone. part: the first row and column, and the height
    and width, of the part of the result that is wanted.
    """
    firsts, counts = ((0, 0), size) if part is None else part
    rows, columns = (
        _known_taps(taps, Grid(old, new)).part(first, count)
        for old, new, first, count in zip(image.shape[:2], size, firsts, counts, strict=True)
    )
    image, columns = _within(image, 1, columns)
    image, rows = _within(image, 0, rows)
    if rows.places.size < len(image):  # fewer numbers to convert
        image, rows = (
            image[rows.places.ravel()],
            Taps(np.arange(rows.places.size).reshape(rows.places.shape), rows.weights),
        )
    pixels = (image if convert is None else convert(image)).astype(np.float32, copy=False)
    return _along_columns(rows.sums(pixels), columns)


def _within(image: np.ndarray, axis: int, taps: Taps) -> tuple[np.ndarray, Taps]:
    """Returns the part of an image along an axis that has the pixels of taps, and these taps of it."""
    if not taps.places.size:
        return image, taps
    first, last = int(taps.places.min()), int(taps.places.max())
    kept = image[first : last + 1] if axis == 0 else image[:, first : last + 1]
    return kept, Taps(taps.places - first, taps.weights)


@functools.lru_cache(maxsize=2048)
def _known_taps(taps: Callable[[Grid], Taps], grid: Grid) -> Taps:
    return taps(grid)


def _along_columns(image: np.ndarray, taps: Taps) -> np.ndarray:
    """Returns the sums over taps of an image's columns, float32."""
    height, _, channels = image.shape
    new, count = taps.places.shape
    if count > _FEW_TAPS:
        return taps.sums(np.ascontiguousarray(image.swapaxes(0, 1))).swapaxes(0, 1)
    # As rows of numbers, because NumPy would go over the channels alone in its innermost loop.
    rows = image.reshape(height, -1)
    total: np.ndarray | None = None
    for k in range(count):
        picked = rows.take((channels * taps.places[:, k, None] + np.arange(channels)).ravel(), 1)
        picked *= np.repeat(taps.weights[:, k], channels)
        total = picked if total is None else np.add(total, picked, out=total)
    assert total is not None
    return total.reshape(height, new, channels)


def cropped_or_padded(image: np.ndarray, size: _Size) -> np.ndarray:
    """Returns the middle of an image, or an image with zeros around it, of this height and width."""
    found = np.zeros((*size, image.shape[-1]), image.dtype)
    crops, pads = [], []
    for old, new in zip(image.shape[:2], size, strict=True):
        top, kept = max((old - new) // 2, 0), min(old, new)
        crops.append(slice(top, top + kept))
        pad = max((new - old) // 2, 0)
        pads.append(slice(pad, pad + kept))
    found[tuple(pads)] = image[tuple(crops)]
    return found


def cut(array: np.ndarray, numbers: np.ndarray, size: tuple[int, ...], name: str) -> np.ndarray:
    """Returns a part of this size, at the place that random numbers, one for each dimension, choose.

    Raises InvalidArgumentError if it does not fit.
    """
    check_fit(name, array.shape, size)
    room = np.array(array.shape) - np.array(size) + 1
    starts = (numbers % room).tolist()
    return array[tuple(slice(start, start + part) for start, part in zip(starts, size, strict=True))]


def check_fit(name: str, shape: tuple[int, ...], size: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless a part of this size is within a tensor of this shape."""
    if len(size) != len(shape) or any(part > whole for part, whole in zip(size, shape, strict=True)):
        raise InvalidArgumentError(
            f"tf.image.{name}: size has a number for each dimension and fits into the shape {shape}, got {list(size)}."
        )
