"""Whole epochs of the step that is measured, on two replicas, with an even or an uneven last batch."""

import time
from typing import Any

from parts import cnn, distributed
from parts.paired import Timer


def timer(tf: Any, devices: list[str], steps: int, missing: int) -> Timer:
    """How long so many epochs take, of so many steps each; the last batch has `missing` rows less than the others."""
    strategy = tf.distribute.MirroredStrategy(devices)
    step = distributed.training(tf, strategy)
    size = cnn.BATCH * strategy.num_replicas_in_sync
    dataset = tf.data.Dataset.from_tensor_slices(cnn.batch(size * steps - missing)).batch(size)
    batches = strategy.experimental_distribute_dataset(dataset)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            for batch in batches:
                loss = step(batch)
        float(loss)  # waits for the last step, which waits for all others
        return time.perf_counter() - start

    return run
