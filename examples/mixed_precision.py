"""Train in 16 bits with a loss that is scaled, so that small gradients do not vanish, in a loop of one's own on two replicas.

python examples/mixed_precision.py --help
"""

import argparse
import json
import os
from typing import Any

import stratagem as tf

GLOBAL_BATCH = 128


class Trainer:
    """A model that computes in float16, whose variables are float32."""

    def __init__(self, strategy: tf.distribute.Strategy, scale: float) -> None:
        self.strategy = strategy
        with strategy.scope():
            self.model = tf.keras.Sequential(
                [
                    tf.keras.Input((28, 28)),
                    tf.keras.layers.Rescaling(1 / 255),
                    tf.keras.layers.Flatten(),
                    tf.keras.layers.Dense(128, activation="relu"),
                    tf.keras.layers.Dense(10, dtype="float32"),  # what comes out, and the loss, in 32 bits
                ]
            )
            inner = tf.keras.optimizers.Adam(1e-3)
            self.optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
                inner, initial_scale=scale, dynamic_growth_steps=50
            )
            self.optimizer.build(self.model.trainable_variables)
            self.losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    @tf.function
    def step(self, batch: tuple[Any, Any]) -> tf.Tensor:
        """One step on all replicas; the mean loss."""
        loss: tf.Tensor = self.strategy.reduce("SUM", self.strategy.run(self.replica_step, args=batch), axis=None)
        return loss

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """What a replica does with its rows. If a gradient is not finite on one replica, none of them changes anything."""
        with tf.GradientTape() as tape:
            losses = self.losses(labels, self.model(images, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH)
            scaled = self.optimizer.get_scaled_loss(loss)
        variables = self.model.trainable_variables
        gradients = self.optimizer.get_unscaled_gradients(tape.gradient(scaled, variables))
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss


def main() -> None:
    """Train, and write the losses and the loss scale after each step to `curve.json`."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--limit", type=int, default=25_600, help="Use only the first so many images.")
    # So large that the first gradients overflow: the scale then halves until they do not.
    parser.add_argument("--scale", type=float, default=2.0**24, help="The first loss scale.")
    parser.add_argument("--output", default="runs/mixed_precision")
    options = parser.parse_args()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    tf.random.set_seed(1)

    (images, labels), _ = tf.keras.datasets.fashion_mnist.load_data()
    rows = images[: options.limit].astype("float32"), labels[: options.limit].astype("int32")
    data = tf.data.Dataset.from_tensor_slices(rows).batch(GLOBAL_BATCH, drop_remainder=True)
    trainer = Trainer(strategy, options.scale)
    curve: dict[str, list[float]] = {"loss": [], "scale": []}
    for batch in strategy.experimental_distribute_dataset(data):
        curve["loss"].append(float(trainer.step(batch)))
        curve["scale"].append(float(trainer.optimizer.loss_scale))
    hidden = trainer.model.layers[2]
    print(f"layers compute in {hidden.compute_dtype}, and keep {hidden.kernel.dtype}")
    print(f"loss {curve['loss'][0]:.3f} to {curve['loss'][-1]:.3f}, scale {options.scale:g} to {curve['scale'][-1]:g}")
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(options.output, "curve.json"), "w") as file:
        json.dump(curve, file)


if __name__ == "__main__":
    main()
