"""Draw clothes that nobody has made: a generator and a discriminator, two optimizers, on two replicas.

python examples/gan.py --help
"""

import argparse
import json
import os
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import stratagem as tf

GLOBAL_BATCH, NOISE = 128, 64


def make_generator() -> tf.keras.Model:
    """From noise to an image between -1 and 1."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((NOISE,)),
            layers.Dense(7 * 7 * 64, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((7, 7, 64)),
            layers.UpSampling2D(),  # then a convolution: a transposed one would leave a chequered pattern
            layers.Conv2D(32, 5, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.UpSampling2D(),
            layers.Conv2D(1, 5, padding="same", activation="tanh"),
        ]
    )


def make_discriminator() -> tf.keras.Model:
    """From an image to one number: above zero, it looks real."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(32, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Conv2D(64, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


class Adversaries:
    """The two networks. Each has an optimizer of its own, since each learns from what is bad for the other."""

    def __init__(self, strategy: tf.distribute.Strategy) -> None:
        self.strategy = strategy
        with strategy.scope():
            self.generator, self.discriminator = make_generator(), make_discriminator()
            self.generator_optimizer = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
            self.discriminator_optimizer = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
            self.losses = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")

    @tf.function
    def step(self, images: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """One step of both on all replicas; the losses of generator and discriminator."""
        losses = self.strategy.run(self.replica_step, args=(images,))
        return (
            self.strategy.reduce("SUM", losses[0], axis=None),
            self.strategy.reduce("SUM", losses[1], axis=None),
        )

    def replica_step(self, images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """What a replica does with its images, and with as many of its own."""
        noise = tf.random.normal((tf.shape(images)[0], NOISE))
        with tf.GradientTape() as of_generator, tf.GradientTape() as of_discriminator:
            drawn = self.generator(noise, training=True)
            real, fake = self.discriminator(images, training=True), self.discriminator(drawn, training=True)
            generator_loss = self.mean(tf.ones_like(fake), fake)
            discriminator_loss = self.mean(tf.ones_like(real), real) + self.mean(tf.zeros_like(fake), fake)
        for tape, loss, network, optimizer in (
            (of_generator, generator_loss, self.generator, self.generator_optimizer),
            (of_discriminator, discriminator_loss, self.discriminator, self.discriminator_optimizer),
        ):
            gradients = tape.gradient(loss, network.trainable_variables)
            optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
        return generator_loss, discriminator_loss

    def mean(self, wanted: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        """This replica's part of the mean over the global batch."""
        return tf.nn.compute_average_loss(self.losses(wanted, logits), global_batch_size=GLOBAL_BATCH)


def draw(generator: tf.keras.Model, noise: np.ndarray, path: str) -> None:
    """Write what the generator makes of the noise as a PNG file."""
    images = np.asarray(generator(noise, training=False))[..., 0]
    figure = Figure(figsize=(8, 2.2))
    for axis, image in zip(figure.subplots(2, len(images) // 2).flat, images, strict=True):
        axis.imshow(image, cmap="gray_r", vmin=-1, vmax=1)
        axis.axis("off")
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    """Train, and write `curve.json` and a picture after every epoch."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=10, help="Passes over the images.")
    parser.add_argument("--limit", type=int, default=60_000, help="Use only the first so many images.")
    parser.add_argument("--output", default="runs/gan")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    if not tf.config.list_physical_devices("GPU"):
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy()
    tf.random.set_seed(1)

    (bytes_, _), _ = tf.keras.datasets.fashion_mnist.load_data()
    images = bytes_[: options.limit, ..., np.newaxis].astype("float32") / 127.5 - 1
    data = (
        tf.data.Dataset.from_tensor_slices(images).shuffle(len(images), seed=1).batch(GLOBAL_BATCH, drop_remainder=True)
    )
    batches = strategy.experimental_distribute_dataset(data)
    both = Adversaries(strategy)
    noise = np.random.default_rng(1).normal(size=(16, NOISE)).astype("float32")
    curve: dict[str, list[float]] = {"generator": [], "discriminator": []}
    for epoch in range(options.epochs):
        results = [both.step(batch) for batch in batches]
        for name, values in zip(curve, zip(*results, strict=True), strict=True):
            curve[name].append(float(np.mean([float(value) for value in values])))
        generator, discriminator = (values[-1] for values in curve.values())
        print(f"epoch {epoch + 1}: loss of the generator {generator:.3f}, of the discriminator {discriminator:.3f}")
        draw(both.generator, noise, os.path.join(options.output, f"epoch_{epoch + 1}.png"))
    with open(os.path.join(options.output, "curve.json"), "w") as file:
        json.dump(curve, file)


if __name__ == "__main__":
    main()
