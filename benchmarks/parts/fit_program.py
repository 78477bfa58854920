"""`Model.fit`, and the same training as a loop of one's own; the same code for Stratagem, Keras 3 and TensorFlow."""

import time
from contextlib import nullcontext
from typing import Any

import numpy as np
from parts import cnn
from parts.paired import Timer

BATCH = cnn.BATCH
STEPS = 60  # batches in the dataset, which repeats


def data(network: str) -> tuple[np.ndarray, np.ndarray]:
    """Examples and labels: images for the convolutional network, rows of 32 numbers for the small one."""
    if network == "cnn":
        return cnn.batch(BATCH * STEPS)
    random = np.random.default_rng(0)
    rows = random.random((BATCH * STEPS, 32), dtype=np.float32)
    return rows, random.integers(0, 10, BATCH * STEPS).astype(np.int32)


def model(keras: Any, network: str) -> Any:
    """The network of that name."""
    if network == "cnn":
        return cnn.model(keras)
    return keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(10)])


def compiled(keras: Any, network: str, per_execution: int) -> Any:
    """The model, ready to fit."""
    made = model(keras, network)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile("adam", loss, metrics=["sparse_categorical_accuracy"], steps_per_execution=per_execution)
    return made


def of_fit(tf: Any, strategy: Any, network: str, per_execution: int = 1) -> Timer:
    """`fit` for so many steps, without validation and without a progress bar."""
    with strategy.scope() if strategy else nullcontext():
        trained = compiled(tf.keras, network, per_execution)
    source = tf.data.Dataset.from_tensor_slices(data(network)).batch(BATCH).repeat()

    def run(steps: int) -> float:
        start = time.perf_counter()
        trained.fit(source, steps_per_epoch=steps, epochs=1, verbose=0)
        return time.perf_counter() - start

    return run


def of_loop(tf: Any, strategy: Any, network: str) -> Timer:
    """The same training by `strategy.run` in a `tf.function`, with the metrics that `fit` keeps."""
    with strategy.scope():
        trained = model(tf.keras, network)
        optimizer = tf.keras.optimizers.Adam()
        accuracy, mean = tf.keras.metrics.SparseCategoricalAccuracy(), tf.keras.metrics.Mean()
        losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    size = BATCH

    def replica_step(inputs: Any) -> None:
        examples, labels = inputs
        with tf.GradientTape() as tape:
            scores = trained(examples, training=True)
            loss = tf.nn.compute_average_loss(losses(labels, scores), global_batch_size=size)
        gradients = tape.gradient(loss, trained.trainable_variables)
        optimizer.apply_gradients(zip(gradients, trained.trainable_variables, strict=True))
        accuracy.update_state(labels, scores)
        mean.update_state(loss)

    @tf.function
    def step(iterator: Any) -> None:
        strategy.run(replica_step, args=(next(iterator),))

    source = tf.data.Dataset.from_tensor_slices(data(network)).batch(BATCH).repeat()
    iterator = iter(strategy.experimental_distribute_dataset(source))

    def run(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            step(iterator)
        float(mean.result()), float(accuracy.result())
        return time.perf_counter() - start

    return run
