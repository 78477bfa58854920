"""A step of a convolutional network has the same weights with the library of kernels and without it."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import stratagem as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.Input((16, 16, 8)), tf.keras.layers.Conv2D(32, 3), tf.keras.layers.Flatten(),
                             tf.keras.layers.Dense(4)])
model.compile("sgd", "mse")
x = np.random.default_rng(0).normal(size=(32, 16, 16, 8)).astype("float32")
model.fit(x, np.ones((32, 4), "float32"), epochs=2, verbose=0)
print(*(float(np.sum(w)) for w in model.get_weights()))
"""

sums = []
for said in ("on", "off"):
    environment = {**os.environ, "STRATAGEM_KERNELS": said}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    sums.append([float(word) for word in done.stdout.split()])
assert all(abs(a - b) <= 1e-4 * (1 + abs(b)) for a, b in zip(*sums, strict=True)), sums
print("as without them")
