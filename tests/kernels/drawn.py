"""Convolutions that are drawn by a seed: of one to three dimensions, with everything that a convolution has."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem._kernels import Geometry


@dataclass(frozen=True)
class Drawn:
    """A convolution, and operands of its three kinds: standard normal numbers, or small integers."""

    geometry: Geometry
    x: np.ndarray
    w: np.ndarray
    y: np.ndarray


def drawn(seed: int, *, integers: bool = False, smallest: int = 1) -> Drawn:
    """Draws one. smallest: batch; 0 for batches that may be empty."""
    random = np.random.default_rng(seed)
    places = int(random.integers(1, 4))

    def several(low: int, high: int) -> tuple[int, ...]:
        return tuple(int(n) for n in random.integers(low, high, places))

    while True:
        padding = tuple(zip(several(0, 7), several(0, 7), strict=True))
        groups = int(random.choice([1, 1, 1, 2, 3, 4, 8]))
        geometry = Geometry(several(1, 14), several(1, 6), several(1, 4), padding, several(1, 4), groups)
        if min(geometry.results()) > 0:
            break
    batch, channels_in, channels_out = (int(n) for n in random.integers((smallest, 1, 1), (20, 9, 9)))

    def numbers(*shape: int) -> Any:
        values = random.integers(-2, 3, shape) if integers else random.normal(size=shape)
        return values.astype("float32")

    return Drawn(
        geometry,
        numbers(batch, *geometry.sizes, channels_in * groups),
        numbers(*geometry.window, channels_in, channels_out * groups),
        numbers(batch, *geometry.results(), channels_out * groups),
    )
