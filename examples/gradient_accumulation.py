"""Train with batches that do not fit into memory: gradients of several small ones are added up before they are applied.

python examples/gradient_accumulation.py --help

Both ways are shown, and end at the same weights: the optimizer's own setting, and a loop that adds up gradients itself.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

import stratagem as tf

BATCH = 128  # rows of one update


def make_model() -> tf.keras.Model:
    """A model with the same weights at every call."""
    seeds = iter(range(2))
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28)),
            tf.keras.layers.Rescaling(1 / 255),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(64, "relu", kernel_initializer=tf.keras.initializers.GlorotUniform(next(seeds))),
            tf.keras.layers.Dense(10, kernel_initializer=tf.keras.initializers.GlorotUniform(next(seeds))),
        ]
    )


def by_the_optimizer(strategy: tf.distribute.Strategy, data: tuple[np.ndarray, np.ndarray], parts: int) -> Any:
    """`fit` with small batches, and an optimizer that applies the mean of each `parts` gradients."""
    with strategy.scope():
        model = make_model()
        optimizer = tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=parts if parts > 1 else None)
        model.compile(optimizer, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    batches = tf.data.Dataset.from_tensor_slices(data).batch(BATCH // parts, drop_remainder=True)
    model.fit(batches, verbose=0)
    return model.get_weights()


class Accumulator:
    """A loop of one's own. The sums are variables of each replica: gradients travel once for each update, not for each part."""

    def __init__(self, strategy: tf.distribute.Strategy, parts: int) -> None:
        self.strategy, self.parts = strategy, parts
        with strategy.scope():
            self.model = make_model()
            self.optimizer = tf.keras.optimizers.SGD(0.1)
            self.losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
            self.sums = [
                tf.Variable(
                    tf.zeros_like(variable),
                    trainable=False,
                    synchronization=tf.VariableSynchronization.ON_READ,
                    aggregation=tf.VariableAggregation.SUM,
                )
                for variable in self.model.trainable_variables
            ]

    def add(self, images: tf.Tensor, labels: tf.Tensor) -> None:
        """Adds the gradients of one part."""
        with tf.GradientTape() as tape:
            losses = self.losses(labels, self.model(images, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        for total, gradient in zip(self.sums, tape.gradient(loss, self.model.trainable_variables), strict=True):
            total.assign_add(gradient)

    def apply(self) -> None:
        """Applies what this replica has added up, together with the other replicas', and begins anew."""
        gradients = [total.read_value() for total in self.sums]
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        for total in self.sums:
            total.assign(tf.zeros_like(total))

    @tf.function
    def update(self, parts: Iterator[Any]) -> None:
        """One update, of the next batches of the iterator."""
        for _ in range(self.parts):
            self.strategy.run(self.add, args=next(parts))
        self.strategy.run(self.apply)


def by_hand(strategy: tf.distribute.Strategy, data: tuple[np.ndarray, np.ndarray], parts: int) -> Any:
    """The same with a loop."""
    accumulator = Accumulator(strategy, parts)
    batches = tf.data.Dataset.from_tensor_slices(data).batch(BATCH // parts, drop_remainder=True)
    iterator = iter(strategy.experimental_distribute_dataset(batches))
    for _ in range(len(data[0]) // BATCH):
        accumulator.update(iterator)
    return accumulator.model.get_weights()


def main() -> None:
    """Train with whole batches, and in parts in both ways, and compare the weights."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--parts", type=int, default=4, help="Small batches of one update.")
    parser.add_argument("--limit", type=int, default=12_800, help="Use only the first so many images.")
    options = parser.parse_args()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    (images, labels), _ = tf.keras.datasets.fashion_mnist.load_data()
    rows = options.limit // BATCH * BATCH
    data = images[:rows].astype("float32"), labels[:rows].astype("int32")

    whole = by_the_optimizer(strategy, data, parts=1)
    for name, weights in (
        ("gradient_accumulation_steps", by_the_optimizer(strategy, data, options.parts)),
        ("a loop", by_hand(strategy, data, options.parts)),
    ):
        difference = max(float(np.abs(mine - theirs).max()) for mine, theirs in zip(weights, whole, strict=True))
        print(f"{name}: weights differ from those of whole batches by {difference:.1e} at most")


if __name__ == "__main__":
    main()
