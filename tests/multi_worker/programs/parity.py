"""A training that TensorFlow runs as well, from the same initial weights; prints weights, losses and metric.

Argument: the number of rows. `record_tensorflow.py` runs it with TensorFlow in place of the next import.
"""

import json
import sys
from typing import Any

import numpy as np

import stratagem as tf

rows, EPOCHS, BATCH = int(sys.argv[1]), 3, 24

strategy = tf.distribute.MultiWorkerMirroredStrategy()
random = np.random.default_rng(0)
x = random.normal(size=(rows, 6))
y = np.sin(x).sum(axis=1, keepdims=True)
with strategy.scope():
    layers = [tf.keras.layers.Dense(8, activation="tanh", dtype="float64"), tf.keras.layers.Dense(1, dtype="float64")]
    model = tf.keras.Sequential([tf.keras.Input((6,), dtype="float64"), *layers])
    optimizer = tf.keras.optimizers.RMSprop(0.015625, rho=0.875, momentum=0.5)  # exact in float32
    metric = tf.keras.metrics.MeanAbsoluteError()
for variable in model.trainable_variables:
    variable.assign(random.normal(size=variable.shape) / 4)
distributed = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH))


def step(batch: Any) -> Any:
    """One step in a replica."""
    features, labels = batch
    with tf.GradientTape() as tape:
        predictions = model(features)
        errors = tf.reduce_sum(tf.square(predictions - labels), axis=1)
        loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905 - as in the guides
    metric.update_state(labels, predictions)
    return loss


@tf.function
def train(batch: Any) -> Any:
    """One step of the job."""
    return strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)


losses = [float(train(batch)) for _ in range(EPOCHS) for batch in distributed]
print("weights", json.dumps([v.numpy().tolist() for v in model.trainable_variables]))
print("losses", json.dumps(losses))
print("metric", json.dumps(float(metric.result())), flush=True)
