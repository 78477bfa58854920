"""Grain's own `map` over the same examples in a process of its own: `python -m parts.grain_map_child FUNCTION`."""

import sys
import time

import grain
import numpy as np
from parts.child import answer
from parts.map_program import BATCH, EXAMPLES, examples
from parts.paired import Timer


def timer(name: str) -> Timer:
    """The same functions, on NumPy."""
    rows = examples(name)
    source = grain.MapDataset.source(rows)
    if name == "images":
        mapped = source.seed(0).random_map(images)
    else:
        mapped = source.map(cheap if name == "cheap" else lambda x: np.sort(x) * 2)
    plan = mapped.batch(BATCH)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            assert sum(len(batch) for batch in plan.to_iter_dataset()) == EXAMPLES
        return time.perf_counter() - start

    return run


def cheap(x: np.ndarray) -> np.ndarray:
    """A line."""
    return x * np.float32(2) + np.float32(1)


def images(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Normalised, and every second one mirrored."""
    scaled = x.astype(np.float32) / np.float32(127.5) - np.float32(1)
    return scaled[:, ::-1] if random.random() < 0.5 else scaled


answer(timer(sys.argv[1]))
