"""Loads a SavedModel under a MultiWorkerMirroredStrategy, without the model's code, trains it on, and saves it again."""

import json
import sys
from typing import Any

import numpy as np

import stratagem as tf

source, target = sys.argv[1:3]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    loaded = tf.saved_model.load(source)
    optimizer = tf.keras.optimizers.SGD(0.05)
WORDS = np.array([["a", "b", "c"], ["b", "b", "x"], ["c", "a", "a"], ["x", "y", "b"]] * 2, object)
before = loaded(tf.constant(WORDS))


def replica(words: Any) -> None:
    """One step of gradient descent."""
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(tf.reduce_sum(loaded(words) ** 2, axis=-1), global_batch_size=8)
    gradients = tape.gradient(loss, loaded.trainable_variables)
    optimizer.apply_gradients(zip(gradients, loaded.trainable_variables, strict=True))


step = tf.function(lambda words: strategy.run(replica, args=(words,)))
for batch in strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(WORDS).batch(8).repeat(3)):
    step(batch)
tf.saved_model.save(loaded, target)
after = tf.saved_model.load(target)(tf.constant(WORDS))
print("results", json.dumps([np.asarray(v).tolist() for v in (before, after)]), flush=True)
