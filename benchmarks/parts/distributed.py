"""The step as a `tf.distribute` program; the same code for Stratagem and for TensorFlow."""

import time
from typing import Any

from parts import cnn
from parts.paired import Timer


def training(tf: Any, strategy: Any, rows: int = cnn.BATCH) -> Any:
    """A compiled step of the network with its optimizer, `rows` examples a replica: batch -> loss."""
    size = rows * strategy.num_replicas_in_sync
    with strategy.scope():
        model = cnn.model(tf.keras)
        optimizer = tf.keras.optimizers.Adam()
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    def replica_step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            scores = model(images, training=True)
            loss = tf.nn.compute_average_loss(losses(labels, scores), global_batch_size=size)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(labels, scores)
        return loss

    @tf.function
    def step(batch: Any) -> Any:
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica_step, args=batch), axis=None)

    return step


def timer(tf: Any, strategy: Any, rows: int = cnn.BATCH) -> Timer:
    """The step through `strategy.run` in a `tf.function`, `rows` examples a replica, on a batch that stays on the devices."""
    size = rows * strategy.num_replicas_in_sync
    step = training(tf, strategy, rows)
    dataset = tf.data.Dataset.from_tensor_slices(cnn.batch(size)).batch(size)
    batch = next(iter(strategy.experimental_distribute_dataset(dataset)))

    def run(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            loss = step(batch)
        float(loss)  # waits for the last step, which waits for all others
        return time.perf_counter() - start

    return run
