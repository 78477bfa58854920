"""Training that is disturbed from outside. The first argument is a folder: files in it say what the coordinator does next.

It trains in rounds until there is `stop`, resting between two of them while there is `rest`, and says exactly how much was
applied. With `more` it goes on until a server is lost.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

import stratagem as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id).join()

FOLDER, ROUND = Path(sys.argv[1]), 50
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    counts = [tf.Variable(0, dtype=tf.int64) for _ in range(3)]  # on both servers
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(4)])
    optimizer = tf.keras.optimizers.SGD(1e-3)


def dataset_fn() -> tf.data.Dataset:
    """Who reads it: the number of a worker's process."""
    return tf.data.Dataset.from_tensors(np.int64(os.getpid())).repeat()


@tf.function
def step(iterator):
    """One step; returns who has taken it."""

    def replica_fn(reader):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones((16, 8))) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        for count in counts:
            count.assign_add(1)
        return reader

    return strategy.run(replica_fn, args=(next(iterator),))


iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))
print("coordinator", os.getpid())
scheduled = 0
while not (FOLDER / "stop").exists():
    began = time.monotonic()
    values = [coordinator.schedule(step, args=(iterator,)) for _ in range(ROUND)]
    scheduled += ROUND
    coordinator.join()
    took = time.monotonic() - began
    print("round", json.dumps([scheduled, took, sorted({int(v) for v in coordinator.fetch(values)})]))
    if (FOLDER / "rest").exists():
        print("resting")
        time.sleep(0.3)
applied = [int(count.numpy()) for count in counts] + [int(optimizer.iterations)]
print("applied", json.dumps([scheduled, applied]))
if not (FOLDER / "more").exists():
    sys.exit(0)
try:
    while True:
        coordinator.schedule(step, args=(iterator,))
        coordinator.join()
except tf.errors.UnavailableError as error:
    print("lost", json.dumps(str(error)))
raised = 0
uses = [lambda: coordinator.schedule(step, args=(iterator,)), coordinator.join, coordinator.done]
for use in (*uses, lambda: [count.numpy() for count in counts]):
    try:
        use()
    except tf.errors.UnavailableError:
        raised += 1
print("raised", raised)
coordinator.join()
