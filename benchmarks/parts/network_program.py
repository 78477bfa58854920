"""A step of a network of `parts.networks`, the same for Stratagem and TensorFlow, and what all libraries start from."""

import time
from typing import Any

import numpy as np
from parts.networks import CATEGORIES, COMPARED
from parts.paired import Timer


def batch(name: str, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The same examples and labels for every contender: numbers, or a value of each category."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 10, shape[0]).astype(np.int32)
    if name == "wide_and_deep":
        values = random.integers(0, 1000, shape) + 1000 * np.arange(CATEGORIES)
        return values.astype(np.int32), labels
    return random.normal(size=shape).astype(np.float32), labels


def kernel(size: int) -> np.ndarray:
    """The first values of a kernel or table of so many numbers, in Keras' order.

    They depend on the size alone, so libraries that list their variables in other orders begin with the same function.
    """
    return (0.05 * np.random.default_rng(size).normal(size=size)).astype(np.float32)


def contender(tf: Any, name: str) -> tuple[Timer, dict[str, float]]:
    """The network's step with Adam in a `tf.function` on one device; the number of its parameters and its first loss."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        model, shape = COMPARED[name](tf.keras)
        if not model.built:
            model.build(shape)
        optimizer = tf.keras.optimizers.Adam()
        losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    for weight in model.trainable_variables:
        if any(kind in getattr(weight, "path", weight.name) for kind in ("kernel", "embeddings")):
            weight.assign(kernel(int(np.prod(weight.shape))).reshape(tuple(weight.shape)))

    def replica_step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(losses(y, model(x, training=True)), global_batch_size=shape[0])
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def step(batch: Any) -> Any:
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica_step, args=batch), axis=None)

    dataset = tf.data.Dataset.from_tensor_slices(batch(name, shape)).batch(shape[0])
    data = next(iter(strategy.experimental_distribute_dataset(dataset)))

    def run(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            loss = step(data)
        float(loss)  # waits for the last step, which waits for all others
        return time.perf_counter() - start

    parameters = sum(int(np.prod(weight.shape)) for weight in model.trainable_variables)
    return run, {"parameters": parameters, "loss": float(step(data))}
