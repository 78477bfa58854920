"""Datasets that TensorFlow has saved in the folder `saved` beside this file: how they are made, and the options of `save`."""

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

Pair = collections.namedtuple("Pair", "x y")

_TYPES = (
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "complex64",
)


def _rows(tf: Any) -> Any:
    """Rows of every type."""
    numbers = {name: np.arange(6).reshape(3, 2).astype(name) for name in _TYPES}
    texts = np.array([[b"a", b""], ["é".encode() * 100, b"\0"], [b"x", b"y"]], object)
    others = (
        np.array([True, False, True]),
        tf.constant([1.5, 2.5, -1.0], tf.bfloat16),
        Pair(texts, np.zeros((3, 0, 2))),
    )
    return tf.data.Dataset.from_tensor_slices({**numbers, "others": others})


FOLDERS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "types": (_rows, {}),
    "batches": (lambda tf: tf.data.Dataset.range(5).batch(2), {"compression": "GZIP"}),
    "shards": (lambda tf: tf.data.Dataset.range(7), {"shard_func": lambda x: x % 3}),
    "nothing": (lambda tf: tf.data.Dataset.range(0), {}),
    "snappy": (lambda tf: tf.data.Dataset.range(3), {"compression": "SNAPPY"}),
}
