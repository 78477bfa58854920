"""JPEG files that are decoded, changed at random and batched; the same code for Stratagem and for TensorFlow."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from parts.paired import Timer

BATCH = 32
# Of each pipeline the files: how many, the smallest and the largest side in pixels, and the colours.
FILES = {"photographs": (512, 200, 500, 3), "small images": (4096, 28, 28, 1)}
PIPELINES = {
    "photographs, resized": "photographs",
    "photographs, cropped": "photographs",
    "small images": "small images",
}
QUALITY = 90
Changed = Callable[[Any, Any], tuple[Any, Any]]


def write(tf: Any, folder: str) -> None:
    """Write the files, which have edges, surfaces and noise of all scales, as photographs have."""
    draws = np.random.default_rng(0)
    for name, (count, low, high, colours) in FILES.items():
        for number in range(count):
            height, width = draws.integers(low, high + 1, 2)
            pixels = np.full((height, width, colours), 120.0)
            for scale in (1, 2, 4, 8, 16, 32, 64):
                size = (height // scale + 1, width // scale + 1, colours)
                noise = draws.normal(0, 12 * scale**0.5, size)
                pixels += np.kron(noise, np.ones((scale, scale, 1)))[:height, :width]
            data = tf.io.encode_jpeg(np.clip(pixels, 0, 255).astype(np.uint8), quality=QUALITY)
            tf.io.write_file(str(Path(folder, name, f"{number:05}.jpg")), data)


def timer(tf: Any, folder: str, pipeline: str) -> Timer:
    """How long so many epochs take."""
    dataset = _dataset(tf, folder, pipeline)
    count = FILES[PIPELINES[pipeline]][0]

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            assert sum(images.shape[0] for images, _ in dataset) == count
        return time.perf_counter() - start

    return run


def _dataset(tf: Any, folder: str, pipeline: str) -> Any:
    name = PIPELINES[pipeline]
    count, colours = FILES[name][0], FILES[name][3]
    paths = [str(Path(folder, name, f"{number:05}.jpg")) for number in range(count)]
    change = {
        "photographs, resized": _resized,
        "photographs, cropped": _cropped,
        "small images": _shifted,
    }[pipeline]

    def load(path: Any, label: Any) -> tuple[Any, Any]:
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=colours)
        image = change(tf, tf.image.convert_image_dtype(image, tf.float32))
        image = tf.image.random_flip_left_right(image)
        return tf.image.random_brightness(image, 0.2), label

    dataset = tf.data.Dataset.from_tensor_slices((paths, np.arange(count) % 10)).shuffle(count, seed=1)
    return dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH).prefetch(tf.data.AUTOTUNE)


def _resized(tf: Any, image: Any) -> Any:
    return tf.image.random_crop(tf.image.resize(image, [180, 180]), [160, 160, 3])


def _cropped(tf: Any, image: Any) -> Any:
    return tf.image.random_crop(image, [160, 160, 3])


def _shifted(tf: Any, image: Any) -> Any:
    return tf.image.random_crop(tf.image.resize_with_crop_or_pad(image, 32, 32), [28, 28, 1])
