"""Trains small models, each from the chief's initial weights; prints the weights, losses and metric of every case.

A case: dtype, optimizer, rows. A single replica trains one of them a second time with its batches in parts, the same
sum in another order; several replicas another one with slots in shards, which they save in the folder of argv and restore
without shards.
"""

import json
import sys
from typing import Any

import numpy as np

import stratagem as tf

BATCH, PARTS = 24, 4
# Each ends its epochs unevenly: with 17 rows (on four replicas 5, 5, 5 and 2), or with 2 (two replicas have none).
CASES = [("float64", "Adam", 89, 13), ("float32", "Adam", 89, 13), ("float32", "SGD", 98, 10)]

strategy = tf.distribute.MultiWorkerMirroredStrategy()
in_shards = tf.distribute.MultiWorkerMirroredStrategy(shard_optimizer_state=True)


def made(dtype: str, name: str) -> tuple[Any, Any]:
    """A model and its optimizer, in the scope that is open."""
    tf.keras.utils.set_random_seed(strategy.cluster_resolver.task_id)  # the chief's initial values count
    layers = [tf.keras.layers.Dense(8, activation="tanh", dtype=dtype), tf.keras.layers.Dense(1, dtype=dtype)]
    model = tf.keras.Sequential([tf.keras.Input((6,), dtype=dtype), *layers])
    return model, tf.keras.optimizers.Adam(0.01) if name == "Adam" else tf.keras.optimizers.SGD(0.01, momentum=0.9)


def trained(dtype: str, name: str, rows: int, epochs: int, parts: int = 1, strategy: Any = strategy) -> dict[str, Any]:
    """The results of one case."""
    x = np.random.default_rng(0).normal(size=(rows, 6)).astype(dtype)
    y = np.sin(x).sum(axis=1, keepdims=True)
    with strategy.scope():
        model, optimizer = made(dtype, name)
        metric = tf.keras.metrics.MeanSquaredError()
        of_first = tf.Variable(0.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    own = np.float32(5 + (strategy.cluster_resolver.task_id or 0))  # another number in each worker

    def gradients_of(features: Any, labels: Any) -> tuple[Any, list[Any]]:
        with tf.GradientTape() as tape:
            predictions = model(features)
            errors = tf.reduce_sum(tf.square(predictions - labels), axis=1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
        metric.update_state(labels, predictions)
        return loss, tape.gradient(loss, model.trainable_variables)

    def step(batch: Any, own: Any) -> Any:
        features, labels = batch
        of_first.assign(own)
        size = max(1, -(-features.shape[0] // parts))
        starts = range(0, features.shape[0], size) if parts > 1 else [0]
        pieces = [gradients_of(features[i : i + size], labels[i : i + size]) for i in starts]
        gradients = [sum(column) for column in zip(*(g for _, g in pieces), strict=True)]
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return sum(loss for loss, _ in pieces)

    @tf.function
    def train(batch: Any, own: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, args=(batch, own)), axis=None)

    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(rows, seed=3).batch(BATCH)
    distributed = strategy.experimental_distribute_dataset(data)
    losses, numbers = [], []
    for batch in (batch for _ in range(epochs) for batch in distributed):
        losses.append(float(train(batch, own)))
        numbers.append(float(of_first))
    if strategy is in_shards:
        model, optimizer = saved_and_restored(model, optimizer, dtype, name)
    weights = [v.numpy().tolist() for v in (*model.trainable_variables, *optimizer.variables)]
    return {"weights": weights, "losses": losses, "metric": float(metric.result()), "of first": numbers}


def saved_and_restored(model: Any, optimizer: Any, dtype: str, name: str) -> tuple[Any, Any]:
    """A model and its optimizer from a checkpoint of these, without shards."""
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(f"{sys.argv[1]}/ckpt")
    with strategy.scope():
        model, optimizer = made(dtype, name)
        optimizer.build(model.trainable_variables)
    tf.train.Checkpoint(model=model, optimizer=optimizer).restore(path).assert_consumed()
    return model, optimizer


results = {f"{dtype} {name}": trained(dtype, name, *size) for dtype, name, *size in CASES}
if strategy.num_replicas_in_sync == 1:
    results["float32 Adam in parts"] = trained(*CASES[1], parts=PARTS)
else:
    results["float64 Adam in shards"] = trained(*CASES[0], strategy=in_shards)
print("results", json.dumps(results), flush=True)
