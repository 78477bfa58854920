"""Layers that read strings, in the `map` of a dataset; the same code for Stratagem and for TensorFlow."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from parts.paired import Timer

BATCH = 256
EXAMPLES = 8192
LAYERS = ("TextVectorization", "TextVectorization, tf_idf", "TextVectorization, ngrams", "StringLookup")
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def words(count: int) -> np.ndarray:
    """Words of 2 to 11 letters, as often as words are: the n-th of 20,000 in proportion to 1 / n."""
    draws = np.random.default_rng(0)
    known = np.array(["".join(draws.choice(LETTERS, size)) for size in draws.integers(2, 12, 20_000)], object)
    shares = 1.0 / np.arange(1, len(known) + 1)
    return known[draws.choice(len(known), count, p=shares / shares.sum())]


def texts() -> list[str]:
    """Texts of 10 to 60 words, with capitals and punctuation."""
    draws = np.random.default_rng(1)
    sizes = draws.integers(10, 61, EXAMPLES)
    pieces = np.split(words(int(sizes.sum())), np.cumsum(sizes)[:-1])
    return [f"{' '.join(piece[:5]).capitalize()}, {' '.join(piece[5:])}." for piece in pieces]


def timer(tf: Any, name: str) -> Timer:
    """How long so many epochs of batches of texts take, whose words are looked up in a vocabulary of 10,000."""
    source, layer = _layer(tf, name)
    dataset = tf.data.Dataset.from_tensor_slices(source).batch(BATCH).map(layer, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.prefetch(tf.data.AUTOTUNE)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            assert sum(batch.shape[0] for batch in dataset) == EXAMPLES
        return time.perf_counter() - start

    return run


def _layer(tf: Any, name: str) -> tuple[Any, Callable[[Any], Any]]:
    """What a dataset is made of, and the layer, which has learned from all of it."""
    if name == "StringLookup":
        source: Any = words(EXAMPLES * 8).reshape(EXAMPLES, 8).tolist()
        layer = tf.keras.layers.StringLookup(max_tokens=10_000)
    else:
        source = texts()
        options = {
            "TextVectorization": {"output_sequence_length": 40},
            "TextVectorization, tf_idf": {"output_mode": "tf_idf"},
            "TextVectorization, ngrams": {"output_sequence_length": 40, "ngrams": 2},
        }[name]
        layer = tf.keras.layers.TextVectorization(max_tokens=10_000, **options)
    layer.adapt(tf.data.Dataset.from_tensor_slices(source).batch(BATCH))
    return source, layer
