"""Draws the PNG files with 16 bits a channel, which Pillow does not write: run it in the project's folder with TensorFlow."""

from pathlib import Path

import numpy as np
import tensorflow as tf


def main() -> None:
    """Write all files: slopes, so that all of PNG's filters are used, and noise."""
    y, x = np.mgrid[:6, :7]
    for channels, name in ((1, "gray"), (2, "gray_opacity"), (3, "rgb"), (4, "rgba")):
        slopes = np.stack([x * (900 + 1400 * c) + y * y * (1100 - 300 * c) for c in range(channels)], -1)
        noise = np.random.default_rng(channels).integers(0, 40, slopes.shape)
        data = tf.io.encode_png((slopes + noise).astype(np.uint16)).numpy()
        (Path(__file__).parent / f"{name}_16.png").write_bytes(data)


if __name__ == "__main__":
    main()
