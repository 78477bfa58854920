"""Trains on the lengths of words under a MultiWorkerMirroredStrategy, and prints what the job has found.

Every step has words of other lengths; the last batch of an epoch is uneven, so that some replica has no rows. What the
steps make of distinct words has another shape on every step, on which all workers must agree.
"""

import json
from typing import Any

import numpy as np

import stratagem as tf

WORDS = ["a", "bb", "ccc", "a", "eeeee", "f", "gg", "a", "iiiiiiiii", "a", "bb"]
TARGETS = np.array([[len(word) * 0.5 + 1] for word in WORDS], np.float32)


class Length(tf.keras.layers.Layer):
    """The number of bytes of each word."""

    def call(self, words: Any) -> Any:
        """Returns it as float32."""
        return tf.cast(tf.strings.length(words), tf.float32)


strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    layers = [Length(), tf.keras.layers.Dense(1, kernel_initializer="ones")]
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), *layers])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
data = tf.data.Dataset.from_tensor_slices((np.array(WORDS, object)[:, None], TARGETS)).batch(4)
history = model.fit(data, epochs=3, verbose=0)


def distinct(words: Any) -> Any:
    """The number of distinct words of a replica, and that of their bytes."""
    found = tf.unique(tf.reshape(words, [-1]))[0]
    return tf.size(found), tf.reduce_sum(tf.strings.length(found))


pairs = [["a", "a", "bb", "c", "d", "d", "e", "f"], ["g", "hh", "ii", "ii", "j", "k", "l", "l"], ["m"] * 8]
counts = []
for batch in strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(pairs).unbatch().batch(8)):
    sizes, total = strategy.run(distinct, args=(batch,))
    counts.append([int(strategy.reduce("SUM", each, axis=None)) for each in (sizes, total)])
print("results", json.dumps([history.history["loss"], *(w.tolist() for w in model.get_weights()), counts]), flush=True)
