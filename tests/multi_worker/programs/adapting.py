"""Adapts layers to a dataset that is distributed over the workers, and prints what each worker's layers have learned."""

import json

import numpy as np

import stratagem as tf

WORDS = np.array([f"w{number % 7}" for number in range(24)] + ["rare"] * 4, object)
NUMBERS = np.arange(28, dtype="float32").reshape(28, 1) ** 2

strategy = tf.distribute.MultiWorkerMirroredStrategy()


def distributed(rows: np.ndarray) -> object:
    """The rows in global batches of four."""
    return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(4))


words = tf.keras.layers.StringLookup()
words.adapt(distributed(WORDS))
normal = tf.keras.layers.Normalization()
normal.adapt(distributed(NUMBERS))
moments = [float(np.ravel(v)[0]) for v in (normal.mean, normal.variance)]
print("results", json.dumps([words.get_vocabulary(), moments]), flush=True)
