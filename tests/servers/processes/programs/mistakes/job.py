"""The job: its servers and workers stay in the import of this file; its coordinator goes on, with what all parts use."""

import sys
from pathlib import Path

import numpy as np

import stratagem as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id).join()

FOLDER = Path(sys.argv[1])
Shards = tf.distribute.experimental.partitioners.FixedShardsPartitioner
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=Shards(2))
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    count, numbers = (tf.Variable(0, dtype=tf.int64) for _ in range(2))
    table = tf.Variable(np.arange(24.0).reshape(12, 2))
    optimizer = tf.keras.optimizers.SGD(0.1)
with tf.distribute.OneDeviceStrategy("cpu:0").scope():
    elsewhere = tf.Variable(7.0)


@tf.function
def add():
    """One more."""
    count.assign_add(1)
    return count + 0


@tf.function
def draw(iterator):
    """The next element."""
    return next(iterator)


@tf.function
def train(ids, factor):
    """A step on some rows."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, ids) * factor)
    gradients = tape.gradient(loss, table.variables)
    optimizer.apply_gradients(zip(gradients, table.variables, strict=True))
    return loss


def run(function, *args):
    """What the function returns, or raises; its error is raised by nobody else."""
    value = coordinator.schedule(function, args=args)
    coordinator.join()
    return value.fetch()


def iterator_of(dataset_fn):
    """One on every worker."""
    return iter(coordinator.create_per_worker_dataset(dataset_fn))
