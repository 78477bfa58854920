"""Functions given to `map` that are measured, as `tf.data` programs; the same code for Stratagem and for TensorFlow."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from parts.paired import Timer

BATCH = 64
EXAMPLES = 1536
FUNCTIONS = ("cheap", "images", "python")
WAYS = ("vectorised", "compiled", "python")


def examples(name: str) -> np.ndarray:
    """Images, or short vectors."""
    random = np.random.default_rng(0)
    if name == "images":
        return random.integers(0, 256, (EXAMPLES, 32, 32, 3), np.uint8)
    return random.normal(size=(EXAMPLES, 16)).astype(np.float32)


def timer(tf: Any, name: str, way: str = "vectorised") -> Timer:
    """How long so many epochs of mapped and batched elements take.

    way: for Stratagem, how the function is made to run: one that reads a variable, over elements that are no rows in
    memory, is called for one after another, and one that asks for a value runs as Python. "vectorised" is it as it is.
    """
    function, source = _function(tf, name), tf.data.Dataset.from_tensor_slices(examples(name))
    if way == "compiled":
        function, source = _reading(tf.Variable(1.0), function, tf), tf.data.Dataset.zip((source.shuffle(1), source))
    if way == "python":
        function = _asking(function)
    dataset = source.map(function, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH).prefetch(tf.data.AUTOTUNE)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            assert sum(batch.shape[0] for batch in dataset) == EXAMPLES
        return time.perf_counter() - start

    return run


def _function(tf: Any, name: str) -> Callable[[Any], Any]:
    def cheap(x: Any) -> Any:
        return x * 2.0 + 1.0

    def images(x: Any) -> Any:
        scaled = tf.cast(x, tf.float32) / 127.5 - 1.0
        return tf.cond(tf.random.uniform([]) < 0.5, lambda: tf.reverse(scaled, [1]), lambda: scaled)

    def python(x: Any) -> Any:
        return tf.numpy_function(lambda v: np.sort(v) * 2, [x], tf.float32)

    return {"cheap": cheap, "images": images, "python": python}[name]


def _reading(variable: Any, function: Callable[[Any], Any], tf: Any) -> Callable[[Any], Any]:
    return lambda _, x: function(x + tf.cast(variable - 1.0, x.dtype))


def _asking(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        x.numpy()
        return function(x)

    return call
