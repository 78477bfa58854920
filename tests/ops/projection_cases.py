"""Projections of drawn images: what TensorFlow's kernel and ours are given."""

from collections.abc import Iterator
from typing import Any

import numpy as np

_KNOWN = {
    "as it is": [1, 0, 0, 0, 1, 0, 0, 0],
    "moved by halves": [1, 0, 0.5, 0, 1, -0.5, 0, 0],
    "far away": [1, 0, 31.5, 0, 1, -47.25, 0, 0],
    "past all numbers": [1e30, 0, 1e38, 0, -1e30, 0, 0, 0],
    "turned": [0.75, -0.5, 2, 0.5, 0.75, -1, 0, 0],
    "mirrored": [-1, 0, 4, 0, -1, 3, 0, 0],
    "seen from the side": [1, 0.25, 0, 0, 1, 0.5, 0.125, -0.0625],
    "with a horizon": [1, 0, 0, 0, 1, 0, -0.5, 0],
}
# TensorFlow's weights of neighbours are both 0 there, and so is what it gives, instead of the fill value. Its `WRAP` counts
# such places in integers, where they have no place.
_LOST = ("BILINEAR", "CONSTANT")


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields names and the arguments of TensorFlow's kernel. All numbers are sums of small powers of two."""
    random = np.random.default_rng(7)
    for fill_mode in ("CONSTANT", "NEAREST", "REFLECT", "WRAP"):
        for interpolation in ("NEAREST", "BILINEAR"):
            for name, row in _KNOWN.items():
                if name == "past all numbers" and (fill_mode == "WRAP" or (interpolation, fill_mode) == _LOST):
                    continue
                images = (random.integers(0, 64, (2, 4, 5, 2)) / 4).astype("float32")
                yield (
                    f"{name}, {interpolation}, {fill_mode}",
                    {
                        "images": images,
                        "transforms": np.asarray([row], "float32"),
                        "output_shape": [3, 6] if name == "turned" else [4, 5],
                        "fill_value": 0.5,
                        "interpolation": interpolation,
                        "fill_mode": fill_mode,
                    },
                )
    for dtype in ("uint8", "int32", "float64", "float16"):
        for size in ((1, 1), (1, 5), (7, 1)):
            images = random.integers(0, 200, (3, *size, 1)).astype(dtype)
            rows = np.eye(3)[None] + random.integers(-8, 9, (3, 3, 3)) / 16
            yield (
                f"{dtype} {size}",
                {
                    "images": images,
                    "transforms": rows.reshape(3, 9)[:, :8].astype("float32"),
                    "output_shape": [4, 4],
                    "fill_value": 3.0,
                    "interpolation": "BILINEAR",
                    "fill_mode": "REFLECT" if size == (1, 5) else "CONSTANT",
                },
            )
