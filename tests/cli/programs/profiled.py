"""Steps for `stratagem profile`, of a kind that the first argument names."""

import os
import signal
import sys
import time
from collections.abc import Iterator

import numpy as np

import stratagem as tf

KIND = sys.argv[1]
STEPS, SECONDS = 8, 0.05

workers = KIND == "workers"
strategy = tf.distribute.MultiWorkerMirroredStrategy() if workers else tf.distribute.MirroredStrategy()
with strategy.scope():
    total = tf.Variable(0.0)


def batches() -> Iterator[np.ndarray]:
    """Batches that come slowly, or of ever new sizes."""
    for number in range(STEPS):
        if KIND == "input":
            time.sleep(SECONDS)
        yield np.ones(8 + number if KIND == "compile" else 8, np.float32)


@tf.function
def step(x: tf.Tensor) -> tf.Tensor:
    """Sums over replicas."""

    def replica(x: tf.Tensor) -> tf.Tensor:
        mine = tf.reduce_sum(x)
        summed = tf.distribute.get_replica_context().all_reduce("SUM", mine) if workers else mine
        return total.assign_add(summed)

    return strategy.run(replica, args=(x,))


data = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec((None,), tf.float32))
for batch in () if KIND == "none" else strategy.experimental_distribute_dataset(data):
    step(batch)
    if workers and strategy.cluster_resolver.task_id == 1:
        time.sleep(SECONDS)
if KIND == "none":
    sys.exit(3)
if KIND == "input":  # the command is asked to end, and passes that on
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)
if KIND == "compile":  # Ctrl-C, which a terminal sends to both
    os.kill(os.getppid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
