"""One of two workers: a step with summaries, then `fit` with the callback; writers are never closed."""

import sys
from pathlib import Path

import numpy as np

import stratagem as tf

folder = Path(sys.argv[1])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0


def replica(x):
    tf.summary.scalar("replica", x)
    return x


@tf.function
def whole(x):
    result = strategy.run(replica, (x,))
    tf.summary.scalar("worker", tf.cast(strategy.num_replicas_in_sync, tf.float32))
    return result


# Every worker has a writer, then only the chief.
tf.summary.create_file_writer(folder / f"worker {rank}").set_as_default(step=1)
whole(tf.constant(2.0))
tf.summary.flush()
if rank:
    tf.summary.experimental.set_step(None)
with tf.summary.record_if(rank == 0):
    tf.summary.experimental.set_step(2)
    whole(tf.constant(3.0))

with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
x = np.ones((16, 3), np.float32)
callback = tf.keras.callbacks.TensorBoard(folder / "fit", update_freq=1, histogram_freq=1)
model.fit(x, x[:, :1], batch_size=8, verbose=0, callbacks=[callback])
