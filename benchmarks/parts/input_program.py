"""The input pipelines that are measured, as `tf.data` programs; the same code for Stratagem and for TensorFlow."""

import time
from typing import Any

import numpy as np
from parts.paired import Timer

BATCH = 64
PIPELINES = ("memory", "map", "map_batches")


def examples() -> tuple[np.ndarray, np.ndarray]:
    """As many images and labels as MNIST has, random, because the values do not change the work."""
    random = np.random.default_rng(0)
    return random.integers(0, 256, (60000, 28, 28), np.uint8), random.integers(0, 10, 60000, np.int32)


def timer(tf: Any, name: str) -> Timer:
    """How long so many epochs take, each with an iterator of its own, so that nothing is made before the clock runs."""
    dataset = _dataset(tf, name)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            rows = sum(labels.shape[0] for _, labels in dataset)
            assert rows == 60000
        return time.perf_counter() - start

    return run


def _dataset(tf: Any, name: str) -> Any:
    images, labels = examples()
    if name == "memory":
        ready = (images.astype(np.float32) / 255)[..., None]
        rows = tf.data.Dataset.from_tensor_slices((ready, labels)).shuffle(60000, seed=1)
        return rows.batch(BATCH).prefetch(tf.data.AUTOTUNE)

    def prepare(image: Any, label: Any) -> Any:
        return tf.cast(image, tf.float32)[..., None] / 255.0, tf.one_hot(label, 10)

    rows = tf.data.Dataset.from_tensor_slices((images, labels))
    if name == "map":
        made = rows.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).shuffle(10000, seed=1)
        return made.batch(BATCH).prefetch(tf.data.AUTOTUNE)
    made = rows.shuffle(10000, seed=1).batch(BATCH)
    return made.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
