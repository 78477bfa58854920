"""Grain's own pipeline over the same examples in a process of its own: `python -m parts.grain_input_child PIPELINE`."""

import sys
import time
from typing import Any

import grain
import numpy as np
from parts.child import answer
from parts.input_program import BATCH, examples
from parts.paired import Timer


def timer(name: str) -> Timer:
    """The batches as NumPy arrays, from a plan that shuffles all rows."""
    images, labels = examples()
    if name == "memory":
        images = (images.astype(np.float32) / 255)[..., None]
    rows = grain.MapDataset.range(len(labels)).shuffle(seed=1)
    made = {
        "memory": rows.map(lambda i: (images[i], labels[i])),
        "map": rows.map(lambda i: prepare(images[i], labels[i])),
    }
    if name == "map_batches":
        plan = rows.map(lambda i: (images[i], labels[i])).batch(BATCH).map(lambda b: prepare(*b))
    else:
        plan = made[name].batch(BATCH)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            rows = sum(labels.shape[0] for _, labels in plan.to_iter_dataset())
            assert rows == 60000
        return time.perf_counter() - start

    return run


def prepare(image: np.ndarray, label: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same function as the others', on NumPy."""
    return image.astype(np.float32)[..., None] / np.float32(255), np.eye(10, dtype=np.float32)[label]


answer(timer(sys.argv[1]))
