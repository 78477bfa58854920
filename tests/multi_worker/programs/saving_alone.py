"""Trains with slots in shards; saves the model on all workers; then the chief alone does, while the others go on, or end.

arguments: a folder, what the others do.
"""

import os
import sys

import numpy as np

import stratagem as tf

X, Y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")

strategy = tf.distribute.MultiWorkerMirroredStrategy(shard_optimizer_state=True)
task = strategy.cluster_resolver.task_id
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(5), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
model.fit(X, Y, batch_size=8, verbose=0)
model.save(os.path.join(sys.argv[1], f"together {task}.keras"))
model.save_weights(os.path.join(sys.argv[1], f"together {task}"))
print("saved together", flush=True)
model.fit(X, Y, batch_size=8, verbose=0)
if task == 0:
    try:
        model.save(os.path.join(sys.argv[1], "alone.keras"))
    except Exception as error:  # which one, depends on whether the other is in a step or between two
        print("alone:", " ".join(str(error).split()), flush=True)
        raise
if sys.argv[2] == "go on":
    model.fit(X, Y, batch_size=8, verbose=0)
