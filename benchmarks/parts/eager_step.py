"""An eager training step of an MLP or of the small CNN: a tape around the model, its gradient, and Adam."""

import time
from typing import Any

import numpy as np
from parts import cnn
from parts.paired import Timer

NETWORKS = ("mlp", "cnn")


def mlp(keras: Any) -> Any:
    """Three dense layers, 27 thousand weights."""
    layers = keras.layers
    return keras.Sequential(
        [layers.Dense(128, activation="relu"), layers.Dense(128, activation="relu"), layers.Dense(10)]
    )


def timer(tf: Any, network: str) -> Timer:
    """Times eager steps of a network with the given `tf`, ours or TensorFlow's, on batches of 64."""
    model = mlp(tf.keras) if network == "mlp" else cnn.model(tf.keras)
    features = np.random.default_rng(0).random((64, 64), dtype=np.float32) if network == "mlp" else cnn.batch()[0]
    inputs, labels = tf.constant(features), tf.constant(cnn.batch()[1])
    optimizer = tf.keras.optimizers.Adam(1e-3)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(inputs, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def run(steps: int) -> float:
        began = time.perf_counter()
        for _ in range(steps):
            loss = step()
        float(loss)
        return time.perf_counter() - began

    run(5)
    return run
