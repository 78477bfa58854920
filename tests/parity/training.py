"""The recorded trainings (`recorded/README.md`) on this library: the custom loop of the distributed training guides."""

import contextlib
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

import stratagem as tf
from tests.parity.batches import GLOBAL_BATCH, IMAGE, OPTIMIZERS, STEPS, Case, batch, initial_weights

RECORDED = Path(__file__).parent / "recorded"

Weights = list[np.ndarray]


@contextlib.contextmanager
def floatx(dtype: str) -> Iterator[None]:
    """Layers, optimizers and losses made in the body have this dtype, as a user of it would ask for."""
    before, policy = tf.keras.config.floatx(), tf.keras.config.dtype_policy()
    tf.keras.config.set_floatx(dtype)
    tf.keras.config.set_dtype_policy(dtype)
    try:
        yield
    finally:
        tf.keras.config.set_floatx(before)
        tf.keras.config.set_dtype_policy(policy)


def build(model: str) -> Any:
    """The two models of `batches.MODELS`."""
    layers = tf.keras.layers
    body = {
        "cnn": [layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten()],
        "mlp": [layers.Flatten(), layers.Dense(32, activation="relu")],
    }
    return tf.keras.Sequential([layers.Input(IMAGE), *body[model], layers.Dense(10)])


@functools.cache
def dataset(dtype: str) -> Any:
    """All batches, one element a step."""
    batches = [batch(step, dtype) for step in range(STEPS)]
    images, labels = (np.concatenate(part) for part in zip(*batches, strict=True))
    return tf.data.Dataset.from_tensor_slices((images, labels)).batch(GLOBAL_BATCH)


@functools.cache
def train(case: Case, parts: int = 1) -> tuple[Weights, np.ndarray]:
    """The final weights and the loss of every step.

    parts: each replica takes its rows in so many parts and adds up their gradients, a sum in another order.
    """
    with floatx(case.dtype):
        strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(case.replicas)])
        with strategy.scope():
            model = build(case.model)
            model.set_weights(initial_weights(case.model, case.dtype))
            name, hyperparameters = OPTIMIZERS[case.optimizer]
            optimizer = getattr(tf.keras.optimizers, name)(**hyperparameters)
            per_example = tf.keras.losses.SparseCategoricalCrossentropy(
                from_logits=True, reduction=tf.keras.losses.Reduction.NONE
            )

        def gradients_of(images: Any, labels: Any) -> tuple[Any, list[Any]]:
            with tf.GradientTape() as tape:
                losses = per_example(labels, model(images, training=True))
                loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH)
            return loss, tape.gradient(loss, model.trainable_variables)

        def step(inputs: Any) -> Any:
            pieces = [gradients_of(*piece) for piece in zip(*(jnp.split(x, parts) for x in inputs), strict=True)]
            gradients = [sum(column) for column in zip(*(g for _, g in pieces), strict=True)]
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return sum(loss for loss, _ in pieces)

        @tf.function
        def train_step(inputs: Any) -> Any:
            return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(inputs,)), axis=None)

        batches = strategy.experimental_distribute_dataset(dataset(case.dtype))
        losses = [train_step(inputs).numpy() for inputs in batches]
        return model.get_weights(), np.array(losses)


def distance(weights: Weights, others: Weights) -> float:
    """max|a - b| / max(1, max|b|) of the variable where it is largest."""
    return max(float(np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(b)))) for a, b in zip(weights, others, strict=True))
