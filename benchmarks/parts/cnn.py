"""The step that is measured: a small convolutional network on batches shaped like MNIST, with Adam and an accuracy."""

from typing import Any

import numpy as np

BATCH = 64


def batch(size: int = BATCH) -> tuple[np.ndarray, np.ndarray]:
    """The same images and labels for every contender: random, because the values do not change the work."""
    random = np.random.default_rng(0)
    images = random.random((size, 28, 28, 1), dtype=np.float32)
    return images, random.integers(0, 10, size).astype(np.int32)


def model(keras: Any) -> Any:
    """The network, made of the layers of the given Keras (Keras 3, ours, or TensorFlow's)."""
    return keras.Sequential(
        [
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(64, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10),
        ]
    )
