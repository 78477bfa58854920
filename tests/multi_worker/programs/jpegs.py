"""Two workers train on JPEGs in record files, each file at one worker; prints weights, losses and the numbers of the images.

Argument: the folder of the files. `record_tensorflow.py` runs it with TensorFlow in place of the next import.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf

EPOCHS, BATCH = 2, 16
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
    "number": tf.io.FixedLenFeature([], tf.int64),
}


def example(record: Any) -> Any:
    """An image (28, 28, 1) of numbers from 0 to 1, its label, and its number."""
    parsed = tf.io.parse_single_example(record, FEATURES)
    image = tf.reshape(tf.io.decode_jpeg(parsed["image"], channels=1), (28, 28, 1))
    image = tf.image.stateless_random_flip_left_right(image, tf.stack([parsed["number"], 5]))
    return tf.image.convert_image_dtype(image, tf.float32), parsed["label"], parsed["number"]


strategy = tf.distribute.MultiWorkerMirroredStrategy()
files = sorted(map(str, Path(sys.argv[1]).glob("*.tfrecord")))
dataset = tf.data.TFRecordDataset(files).map(example, num_parallel_calls=2).batch(BATCH)
distributed = strategy.experimental_distribute_dataset(dataset)
with strategy.scope():
    layers = [
        tf.keras.layers.Conv2D(4, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10),
    ]
    model = tf.keras.Sequential([tf.keras.Input((28, 28, 1)), *layers])
    optimizer = tf.keras.optimizers.SGD(0.0625, momentum=0.875)  # exact in float32
random = np.random.default_rng(0)
for variable in model.trainable_variables:
    variable.assign(random.normal(size=variable.shape) / 16)


def step(batch: Any) -> Any:
    """One step in a replica."""
    images, labels, _ = batch
    with tf.GradientTape() as tape:
        errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images))
        loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905 - as in the guides
    return loss


@tf.function
def train(batch: Any) -> Any:
    """One step of the job."""
    return strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)


losses, numbers = [], []
for _ in range(EPOCHS):
    for batch in distributed:
        losses.append(float(train(batch)))
        numbers.append([int(number) for piece in strategy.experimental_local_results(batch[2]) for number in piece])
print("weights", json.dumps([v.numpy().tolist() for v in model.trainable_variables]))
print("losses", json.dumps(losses))
print("numbers", json.dumps(numbers), flush=True)
