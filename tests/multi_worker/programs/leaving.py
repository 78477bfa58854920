"""Workers whose loops differ: worker 1 leaves its loop early, and does then what it is told.

Arguments: why it leaves (length: it has fewer rows, found by a dataset that knows its length; generator: by one that does
not; rows: batches that only this worker's function makes; break: it takes fewer steps); what it does next (epoch, result, save,
evaluate, sleep, end).
"""

import sys
import tempfile
import time
from typing import Any

import numpy as np

import stratagem as tf

why, after = sys.argv[1:3]
STEPS, FEWER, BATCH = 6, 4, 4

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
short = rank == 1
with strategy.scope():
    total = tf.Variable(0.0)
    metric = tf.keras.metrics.Mean()
rows = BATCH * (FEWER if short and why != "break" else STEPS)


def examples() -> Any:
    """One by one."""
    for i in range(rows):
        yield np.float32(i)


def dataset() -> Any:
    """The dataset."""
    if why == "generator":
        return tf.data.Dataset.from_generator(examples, output_signature=tf.TensorSpec((), tf.float32)).batch(BATCH)
    return tf.data.Dataset.from_tensor_slices(np.arange(rows, dtype=np.float32)).batch(BATCH)


def add(batch: Any) -> None:
    """One step in a replica."""
    metric.update_state(batch)
    total.assign_add(tf.distribute.get_replica_context().all_reduce("SUM", tf.reduce_sum(batch)))


@tf.function
def train(batch: Any) -> None:
    """One step of the job."""
    strategy.run(add, args=(batch,))


@tf.function
def evaluate() -> Any:
    """Another one."""
    return strategy.reduce("SUM", strategy.run(lambda: total * 2.0), axis=None)


def next_thing() -> None:
    """What is behind the loop."""
    match after:
        case "result":
            print("result", float(metric.result()), flush=True)
        case "evaluate":
            print("evaluated", float(evaluate()), flush=True)
        case "save":
            with tempfile.TemporaryDirectory() as folder:
                tf.train.Checkpoint(total=total).write(f"{folder}/ckpt")
        case "sleep":
            if short:
                time.sleep(10_000)


print("evaluated", float(evaluate()), "result", float(metric.result()), flush=True)  # programs that both know
data = strategy.experimental_distribute_dataset(dataset())
for _ in range(1 if after == "end" else 2):
    for step, batch in enumerate(data):
        if why == "break" and short and step == FEWER:
            break
        train(batch)
        print("step", step, float(total.numpy()), flush=True)
    print("left the loop", flush=True)
    next_thing()
