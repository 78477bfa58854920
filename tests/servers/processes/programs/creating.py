"""A table of 400 MB in two shards, with the slots of Adagrad: what the coordinator needs for it, and what is in it."""

import json
import resource

import numpy as np

import stratagem as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id).join()

ROWS, COLUMNS = 1_600_000, 64
MIB = 1024  # KiB, in which the system counts
shards = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=shards)


def created(rows):
    """A table and the optimizer that has slots for it."""
    seeds = tf.keras.random.SeedGenerator(5)
    with strategy.scope():
        initializer = tf.keras.initializers.TruncatedNormal(0.25, 0.1, seed=seeds)
        layer = tf.keras.layers.Embedding(rows, COLUMNS, embeddings_initializer=initializer)
        layer.build((None,))
        optimizer = tf.keras.optimizers.Adagrad()
        optimizer.build(layer.weights)
    return layer, optimizer, seeds


def peak():
    """Of the memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB


created(8192)  # the libraries are loaded
before, bytes_before = peak(), sum(t.received + t.sent for t in strategy.servers.traffic())
layer, optimizer, seeds = created(ROWS)
ids = np.array([0, 1, ROWS // 2 - 1, ROWS // 2, ROWS - 1])
slots = [v for v in optimizer.variables if len(v.shape) == 2]
rows, state = np.asarray(tf.gather(layer.embeddings, ids)), np.asarray(seeds.state).tolist()
print("grown", json.dumps(peak() - before))
print("moved", json.dumps(int(sum(t.received + t.sent for t in strategy.servers.traffic()) - bytes_before)))
print("slots", json.dumps([list(v.shape) for v in slots]))

own = tf.keras.random.SeedGenerator(5)
whole = tf.keras.initializers.TruncatedNormal(0.25, 0.1, seed=own)((ROWS, COLUMNS), dtype="float32")
print(
    "equal", json.dumps([bool(np.array_equal(rows, np.asarray(whole)[ids])), state == np.asarray(own.state).tolist()])
)
