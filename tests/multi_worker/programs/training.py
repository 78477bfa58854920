"""Trains a small float64 model; prints its weights, losses and metric. Fails in a way and at a step that it is told.

Arguments: number of rows, of epochs; what happens at which step on which rank.
"""

import json
import os
import signal
import sys
import time
from typing import Any

import numpy as np

import stratagem as tf

rows, epochs = int(sys.argv[1]), int(sys.argv[2])
fault, fault_step, fault_rank = sys.argv[3:6] if len(sys.argv) > 3 else ("", "0", "0")
BATCH = 24

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
x = np.random.default_rng(0).normal(size=(rows, 6))
y = np.sin(x).sum(axis=1, keepdims=True)
with strategy.scope():
    tf.keras.utils.set_random_seed(rank)  # the chief's initial values count
    layers = [tf.keras.layers.Dense(8, activation="tanh", dtype="float64"), tf.keras.layers.Dense(1, dtype="float64")]
    model = tf.keras.Sequential([tf.keras.Input((6,), dtype="float64"), *layers])
    optimizer = tf.keras.optimizers.Adam(0.01)
    metric = tf.keras.metrics.MeanSquaredError()
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(rows, seed=3).batch(BATCH)
distributed = strategy.experimental_distribute_dataset(data)


def step(batch: Any) -> Any:
    """One step in a replica."""
    features, labels = batch
    with tf.GradientTape() as tape:
        predictions = model(features)
        errors = tf.reduce_sum(tf.square(predictions - labels), axis=1)
        loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    metric.update_state(labels, predictions)
    return loss


@tf.function
def train(batch: Any) -> Any:
    """One step of the job."""
    return strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)


def fail() -> None:
    """What the arguments say."""
    print("failing", flush=True)
    match fault:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "stuck":
            time.sleep(10_000)
        case "raise":
            raise ValueError("a bug of the user's")
        case "late":
            time.sleep(float(os.environ["LATE_SECONDS"]))
        case "end":
            sys.exit(0)


losses: list[float] = []
for _ in range(epochs):
    for batch in distributed:
        if fault and len(losses) == int(fault_step) and rank == int(fault_rank):
            fail()
        losses.append(float(train(batch)))
print("weights", json.dumps([v.numpy().tolist() for v in model.trainable_variables]))
print("losses", json.dumps(losses))
print("metric", json.dumps(float(metric.result())), flush=True)
