"""Resizing along one dimension: which pixels each new one is made of, and their weights, computed as TensorFlow's kernels do.

Everything is NumPy in float32, known before anything is computed. A new pixel is a sum over its taps: old pixels, each with
a weight.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array

_TABLE: Final = 1024  # TensorFlow rounds the places of bicubic weights to so many between two pixels
_TINY: Final = 1000 * np.finfo(np.float32).tiny  # a sum of weights that is not divided by
_ONE, _HALF = np.float32(1), np.float32(0.5)


@dataclass(frozen=True)
class Taps:
    """For each new pixel the places of old ones, (new, count), and their weights."""

    places: np.ndarray
    weights: np.ndarray

    def part(self, first: int, count: int) -> "Taps":
        """Returns the taps of so many new pixels, from one on."""
        return Taps(self.places[first : first + count], self.weights[first : first + count])

    def matrix(self, old: int) -> np.ndarray:
        """Returns the weights of all old pixels, most of them 0: (new, old). Programs multiply faster than they pick."""
        found = np.zeros((len(self.places), old), np.float32)
        np.add.at(found, (np.arange(len(self.places))[:, None], self.places), self.weights)
        return found

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Returns the sums over the first axis of float32 numbers, (old, ...): (new, ...)."""
        new, count = self.places.shape
        ends = np.arange(0, new * count + 1, count)
        weights = csr_array((self.weights.ravel(), self.places.ravel(), ends), (new, len(rows)))
        found: np.ndarray = weights @ rows.reshape(len(rows), -1)
        return found.reshape(new, *rows.shape[1:])


@dataclass(frozen=True)
class Grid:
    """The places of new pixels among old ones. half: centres are at half pixels; corners: those of the corners coincide."""

    old: int
    new: int
    half: bool = True
    corners: bool = False

    @property
    def scale(self) -> np.float32:
        """The distance of new pixels, in old ones."""
        if self.corners and self.new > 1:
            return np.float32(self.old - 1) / np.float32(self.new - 1)
        return np.float32(self.old) / np.float32(self.new)

    def places(self) -> np.ndarray:
        """Returns the place of each new pixel: (new,), float32."""
        numbers = np.arange(self.new, dtype=np.float32)
        return (numbers + _HALF) * self.scale - _HALF if self.half else numbers * self.scale


def nearest(grid: Grid) -> np.ndarray:
    """The old pixel that each new one is equal to: (new,)."""
    numbers = np.arange(grid.new, dtype=np.float32)
    if grid.half:
        found = np.floor((numbers + _HALF) * grid.scale)
    else:
        found = np.floor(numbers * grid.scale + _HALF) if grid.corners else np.floor(numbers * grid.scale)
    return np.clip(found.astype(np.int32), 0, grid.old - 1)


def bilinear(grid: Grid) -> Taps:
    """The two pixels around a place; at the border there is one."""
    places = grid.places()
    below = np.floor(places)
    lower, upper = np.maximum(below, 0), np.minimum(np.ceil(places), grid.old - 1)
    part = places - below
    return _taps([lower, upper], [_ONE - part, part])


def bicubic(grid: Grid) -> Taps:
    """Four pixels around a place, by Keys' cubic for half pixels, and a sharper one for others.

    With half pixels those outside have no weight, otherwise the pixel at the border stands for them.
    """
    places = grid.places()
    below = np.floor(places)
    steps = np.rint((places - below) * np.float32(_TABLE)).astype(np.float32)
    a = np.float32(-0.5 if grid.half else -0.75)
    after = np.float32(_TABLE) - steps
    weights = [
        _cubic_far(steps / _TABLE + 1, a),
        _cubic_near(steps / _TABLE, a),
        _cubic_near(after / _TABLE, a),
        _cubic_far(after / _TABLE + 1, a),
    ]
    wanted = [below + offset for offset in (-1, 0, 1, 2)]
    found = [np.clip(place, 0, grid.old - 1) for place in wanted]
    if not grid.half:
        return _taps(found, weights)
    inside = [np.where(own == place, w, 0) for own, place, w in zip(found, wanted, weights, strict=True)]
    return _normalized(np.stack(found, -1), np.stack(inside, -1).astype(np.float32))


def _cubic_near(x: np.ndarray, a: np.float32) -> np.ndarray:
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _cubic_far(x: np.ndarray, a: np.float32) -> np.ndarray:
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def area(grid: Grid) -> Taps:
    """The pixels that a new one covers, each by the part of it that is covered; `half` has no meaning here."""
    scale = grid.scale
    starts = np.arange(grid.new, dtype=np.float32) * scale
    ends = np.arange(1, grid.new + 1, dtype=np.float32) * scale
    first = np.floor(starts)
    count = int(np.max(np.ceil(ends) - first, initial=1))
    places = first[:, None] + np.arange(count, dtype=np.float32)
    covered = np.minimum(places + 1, ends[:, None]) - np.maximum(places, starts[:, None])
    return _taps_of(np.clip(places, 0, grid.old - 1), np.maximum(covered, 0) / scale)


def filtered(grid: Grid, kernel: "Kernel", antialias: bool) -> Taps:
    """The pixels within a kernel's radius of a place; with `antialias` it is as wide as new pixels are apart."""
    inverse = _ONE / (np.float32(grid.new) / np.float32(grid.old))
    width = max(inverse, _ONE) if antialias else _ONE
    centers = (np.arange(grid.new, dtype=np.float32) + _HALF) * inverse
    radius = np.float32(kernel.radius) * width
    start = np.clip(np.ceil(centers - radius - _HALF), 0, grid.old - 1)
    end = np.clip(np.floor(centers + radius - _HALF), 0, grid.old - 1)
    places = start[:, None] + np.arange(int(np.max(end - start, initial=0)) + 1, dtype=np.float32)
    weights = kernel.function(np.abs((places + _HALF - centers[:, None]) * (_ONE / width)).astype(np.float32))
    inside = (places <= end[:, None]) & ((centers >= 0) & (centers <= grid.old))[:, None]
    return _normalized(np.minimum(places, grid.old - 1), np.where(inside, weights, 0).astype(np.float32))


@dataclass(frozen=True)
class Kernel:
    """A function of the distance from a place, and the distance from which on it is 0."""

    radius: float
    function: Callable[[np.ndarray], np.ndarray]


def _lanczos(radius: int) -> Kernel:
    def function(x: np.ndarray) -> np.ndarray:
        safe = np.maximum(x, 1e-3).astype(np.float32) * np.float32(np.pi)
        value = radius * np.sin(safe) * np.sin(safe / radius) / np.square(safe)
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, value))

    return Kernel(radius, function)


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 1.5, 0, np.exp(-np.square(x) * 2))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(0, 1 - x)


def _keys(x: np.ndarray) -> np.ndarray:
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0, np.where(x >= 1, far, ((1.5 * x - 2.5) * x) * x + 1))


def _mitchell(x: np.ndarray) -> np.ndarray:
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, ((7 / 6 * x - 2) * x) * x + 8 / 9))


KERNELS = {
    "bilinear": Kernel(1, _triangle),
    "bicubic": Kernel(2, _keys),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": Kernel(1.5, _gaussian),
    "mitchellcubic": Kernel(2, _mitchell),
}


def _taps(places: list[np.ndarray], weights: list[np.ndarray]) -> Taps:
    return _taps_of(np.stack(places, -1), np.stack(weights, -1))


def _taps_of(places: np.ndarray, weights: np.ndarray) -> Taps:
    return Taps(places.astype(np.int32), weights.astype(np.float32))


def _normalized(places: np.ndarray, weights: np.ndarray) -> Taps:
    """Taps whose weights sum to 1, unless nearly all are 0."""
    total = weights.sum(-1, keepdims=True, dtype=np.float32)
    return _taps_of(places, weights / np.where(np.abs(total) >= _TINY, total, 1))
