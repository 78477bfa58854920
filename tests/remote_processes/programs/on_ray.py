"""A job on a Ray cluster that runs already. The first argument is a folder: files in it say what the coordinator does next.

It trains in rounds until there is `stop`, and says exactly how much was applied. With `more` it goes on until it loses
something that cannot come back.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

import stratagem as tf

FOLDER, ROUND = Path(sys.argv[1]), 50
resolver = tf.distribute.cluster_resolver.RayClusterResolver(servers=2, workers=2, resources_per_server={"CPU": 0.5})
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    count = tf.Variable(0, dtype=tf.int64)
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(4)])
    model.compile(tf.keras.optimizers.SGD(1e-3), "mse")


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
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        count.assign_add(1)
        return reader

    return strategy.run(replica_fn, args=(next(iterator),))


iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))
print("coordinator", os.getpid(), flush=True)
scheduled = 0
while not (FOLDER / "stop").exists():
    values = [coordinator.schedule(step, args=(iterator,)) for _ in range(ROUND)]
    scheduled += ROUND
    coordinator.join()
    print("round", json.dumps(sorted({int(v) for v in coordinator.fetch(values)})), flush=True)
print("applied", json.dumps([scheduled, int(count.numpy()), int(model.optimizer.iterations)]), flush=True)
history = model.fit(np.ones((64, 8)), np.full((64, 4), 2.0), batch_size=8, epochs=3, verbose=0)
print("losses", json.dumps(history.history["loss"]), flush=True)
if (FOLDER / "more").exists():
    while True:
        coordinator.schedule(step, args=(iterator,))
        coordinator.join()
