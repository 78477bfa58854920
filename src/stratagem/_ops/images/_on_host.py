"""Images on the host, in NumPy: resizing, crops and padding for sizes that differ from image to image.

A program for every size would take 0.1 s to compile.
"""

import functools
from collections.abc import Callable
from typing import Final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._ops.images._taps import Grid, Taps, nearest

_FEW_TAPS: Final = 12  # up to so many, picking pixels is faster than a product with all of them
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
    if part is not None and columns.places.size:
        left = int(columns.places.min())
        image = image[:, left : int(columns.places.max()) + 1]
        columns = Taps(columns.places - left, columns.weights)
    if convert is not None and (rows.places.shape[1] > _FEW_TAPS or rows.places.size > len(image)):
        image, convert = convert(image), None  # fewer numbers than the rows that are picked have
    return _along(_along(image, 0, rows, convert), 1, columns, None)


@functools.lru_cache(maxsize=2048)
def _known_taps(taps: Callable[[Grid], Taps], grid: Grid) -> Taps:
    return taps(grid)


def _along(image: np.ndarray, axis: int, taps: Taps, convert: Convert | None) -> np.ndarray:
    count, channels = taps.places.shape[1], image.shape[-1]
    if count > _FEW_TAPS:
        matrix = taps.matrix(image.shape[axis])
        pixels = image.astype(np.float32)
        if axis == 0:
            return (matrix @ pixels.reshape(len(pixels), -1)).reshape(-1, *image.shape[1:])
        return np.matmul(matrix, pixels)
    # As rows of numbers, because NumPy would go over the channels alone in its innermost loop.
    weights = taps.weights[:, :, None] if axis == 0 else np.repeat(taps.weights, channels, 0).T[:, None, :]
    total: np.ndarray | None = None
    for k in range(count):
        # Not `take` for rows: it copies all of an image of which this is a part.
        picked = image[taps.places[:, k]] if axis == 0 else image.take(taps.places[:, k], axis)
        picked = picked if convert is None else convert(picked)
        rows = picked.reshape(len(picked), -1)
        weight = weights[:, k] if axis == 0 else weights[k]
        part = np.multiply(rows, weight, out=rows if rows.dtype == np.float32 else None)
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total.reshape(*picked.shape)


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
