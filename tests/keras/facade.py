"""What the tests of Keras under strategies share: small data, and the loop of the guides."""

from typing import Any

import numpy as np

import stratagem as tf
from stratagem._strategies import AbstractStrategy, MirroredStrategy

ROWS = 8
IMAGES = np.random.default_rng(0).normal(size=(ROWS, 4)).astype(np.float32)
LABELS = np.arange(ROWS, dtype=np.int32) % 3


def mirrored(replicas: int = 2) -> MirroredStrategy:
    return MirroredStrategy([f"CPU:{i}" for i in range(replicas)])


def small_model() -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([layers.Input((4,)), layers.Dense(5, activation="tanh"), layers.Dense(3)])


def batches(strategy: AbstractStrategy) -> Any:
    """The same eight rows as one global batch."""
    return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).batch(ROWS))


def make_step(model: Any, optimizer: Any, after: Any = None) -> Any:
    """One training step of a replica; `after(gradients, variables)` applies them (else the optimizer does)."""
    per_example = tf.keras.losses.SparseCategoricalCrossentropy(True, reduction=tf.keras.losses.Reduction.NONE)

    def step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = per_example(labels, model(images, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=ROWS)
        gradients = tape.gradient(loss, model.trainable_variables)
        if after is None:
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        else:
            after(gradients, model.trainable_variables)
        return loss

    return step


def train(strategy: AbstractStrategy, model: Any, optimizer: Any, steps: int = 3) -> list[np.ndarray]:
    """The weights after so many steps on the same batch."""
    step = make_step(model, optimizer)
    (batch,) = batches(strategy)
    for _ in range(steps):
        strategy.run(step, args=batch)
    return [np.asarray(w) for w in model.get_weights()]


def largest_difference(weights: list[np.ndarray], others: list[np.ndarray]) -> float:
    return max(float(np.max(np.abs(a - b))) for a, b in zip(weights, others, strict=True))
