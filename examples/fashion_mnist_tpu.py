"""Train on a TPU where there is one, else on two devices of the CPU: first with `fit`, then in a loop of its own.

python examples/fashion_mnist_tpu.py --help
"""

import argparse
import json
from pathlib import Path

import numpy as np

import stratagem as tf

PER_REPLICA = 32  # images per replica and step
STEPS_PER_EXECUTION = 4  # steps that a TPU takes before it comes back to Python
NUMBERS = np.random.default_rng(15)  # the initial weights: the same ones in every run and on every machine


def make_strategy() -> tf.distribute.Strategy:
    """TPUStrategy on the TPU that this machine has; else MirroredStrategy."""
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        print("devices:", tf.config.list_logical_devices("TPU"))
        return tf.distribute.TPUStrategy(resolver)
    except ValueError:
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
        return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def make_dataset(images: np.ndarray, labels: np.ndarray, global_batch: int) -> tf.data.Dataset:
    """Batches of one size only, as a TPU needs them."""

    def scale(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.cast(image, tf.float32)[..., tf.newaxis] / 255.0, tf.cast(label, tf.int32)

    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).cache()
    dataset = dataset.map(scale, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.repeat().batch(global_batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def make_model() -> tf.keras.Model:
    """One score for every kind of clothing."""
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu", input_shape=(28, 28, 1)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    model.set_weights([NUMBERS.normal(0, 0.05, weight.shape) for weight in model.get_weights()])
    return model


class Losses(tf.keras.callbacks.Callback):
    """The mean loss of the epoch so far, after every execution."""

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        self.losses.append(float((logs or {})["loss"]))


def main() -> None:
    """Train twice from the first weights on, and write both curves."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit", type=int, help="Use only the first so many training and test images.")
    parser.add_argument("--output", type=Path, default=Path("runs/fashion_mnist_tpu"))
    options = parser.parse_args()

    strategy = make_strategy()
    global_batch = PER_REPLICA * strategy.num_replicas_in_sync
    print("replicas:", strategy.num_replicas_in_sync)
    (images, labels), (test_images, test_labels) = tf.keras.datasets.fashion_mnist.load_data()
    images, labels = images[: options.limit], labels[: options.limit]
    test_images, test_labels = test_images[: options.limit], test_labels[: options.limit]
    steps, test_steps = len(images) // global_batch, len(test_images) // global_batch
    train_dataset = make_dataset(images, labels, global_batch)
    test_dataset = make_dataset(test_images, test_labels, global_batch)

    with strategy.scope():
        model = make_model()
        initial = model.get_weights()
        model.compile(
            optimizer=tf.keras.optimizers.Adam(2e-3),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["sparse_categorical_accuracy"],
            steps_per_execution=STEPS_PER_EXECUTION,
        )
    seen = Losses()
    history = model.fit(
        train_dataset,
        epochs=options.epochs,
        steps_per_epoch=steps,
        validation_data=test_dataset,
        validation_steps=test_steps,
        callbacks=[seen],
        verbose=2,
    )

    with strategy.scope():
        model.set_weights(initial)
        optimizer = tf.keras.optimizers.Adam(2e-3)
        training_loss = tf.keras.metrics.Mean("training_loss", dtype=tf.float32)
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy("accuracy", dtype=tf.float32)

    def step_fn(inputs: tuple[tf.Tensor, tf.Tensor]) -> None:
        images, labels = inputs
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            losses = tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=global_batch)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(list(zip(gradients, model.trainable_variables, strict=True)))
        training_loss.update_state(loss * strategy.num_replicas_in_sync)
        accuracy.update_state(labels, logits)

    @tf.function
    def train_multiple_steps(iterator: tf.data.Iterator, steps: tf.Tensor) -> None:
        for _ in tf.range(steps):
            strategy.run(step_fn, args=(next(iterator),))

    iterator = iter(strategy.experimental_distribute_dataset(train_dataset))
    loop_losses = []
    for epoch in range(options.epochs):
        accuracy.reset_states()
        for done in range(0, steps, STEPS_PER_EXECUTION):
            training_loss.reset_states()
            train_multiple_steps(iterator, tf.convert_to_tensor(min(STEPS_PER_EXECUTION, steps - done)))
            loop_losses.append(float(training_loss.result()))
        print(f"epoch {epoch + 1}: loss {loop_losses[-1]:.4f}, accuracy {float(accuracy.result()):.4f}")
    print("steps of the optimizer:", optimizer.iterations.numpy())

    options.output.mkdir(parents=True, exist_ok=True)
    curve = {
        "fit losses": seen.losses,
        "validation losses": history.history["val_loss"],
        "validation accuracy": history.history["val_sparse_categorical_accuracy"],
        "loop losses": loop_losses,
        "loop accuracy": [float(accuracy.result())],
    }
    (options.output / "curve.json").write_text(json.dumps(curve))
    np.savez(options.output / "weights.npz", *model.get_weights())


if __name__ == "__main__":
    main()
