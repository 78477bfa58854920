"""Train as older programs do: flags of absl, the API's second version by name, summaries, checkpoints; resume where it stopped.

python examples/fashion_mnist_flags.py --distribution_strategy=mirrored --train_epochs=2
"""

import json
import os

import numpy as np
from absl import app, flags, logging

import stratagem.compat.v2 as tf

FLAGS = flags.FLAGS
flags.DEFINE_enum("distribution_strategy", "mirrored", ["one_device", "mirrored"], "The strategy to train with.")
flags.DEFINE_integer("num_replicas", 2, "Virtual devices of the CPU for the strategy `mirrored`.", lower_bound=1)
flags.DEFINE_integer("batch_size", 64, "The global batch size.")
flags.DEFINE_integer("train_epochs", 2, "Train up to this epoch.")
flags.DEFINE_integer("limit", None, "Use only the first so many training and test images.")
flags.DEFINE_float("learning_rate", 0.05, "The learning rate at the beginning.")
flags.DEFINE_string("model_dir", "runs/fashion_mnist_flags", "The folder of checkpoints and summaries.")


def get_distribution_strategy(name: str, num_replicas: int) -> tf.distribute.Strategy:
    """The strategy of that name."""
    if name == "one_device":
        return tf.distribute.OneDeviceStrategy("/cpu:0")
    cpu = tf.config.experimental.list_physical_devices("CPU")[0]
    devices = [tf.config.experimental.VirtualDeviceConfiguration() for _ in range(num_replicas)]
    tf.config.experimental.set_virtual_device_configuration(cpu, devices)
    return tf.distribute.MirroredStrategy([f"/cpu:{index}" for index in range(num_replicas)])


class Network(tf.keras.Model):
    """Two dense layers between the picture and the scores."""

    def __init__(self, units: int) -> None:
        super().__init__(name="network")
        self.flatten = tf.keras.layers.Flatten()
        self.hidden = tf.keras.layers.Dense(units, activation=tf.nn.relu, name="hidden")
        self.scores = tf.keras.layers.Dense(10, name="scores")

    def call(self, images: tf.Tensor, training: bool = False) -> tf.Tensor:
        scores: tf.Tensor = self.scores(self.hidden(self.flatten(images)))
        return scores


class Trainer:
    """The model, how it learns, and what is saved of it."""

    def __init__(self, strategy: tf.distribute.Strategy, steps_per_epoch: int) -> None:
        self.strategy, self.steps_per_epoch = strategy, steps_per_epoch
        with strategy.scope():
            self.model = Network(32)
            self.model.build((None, 28, 28))
            numbers = np.random.default_rng(15)  # the same initial weights in every run and on every machine
            self.model.set_weights([numbers.normal(0, 0.05, weight.shape) for weight in self.model.get_weights()])
            schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay(
                [steps_per_epoch, 2 * steps_per_epoch],
                [FLAGS.learning_rate, FLAGS.learning_rate / 2, FLAGS.learning_rate / 4],
            )
            self.optimizer = tf.keras.optimizers.SGD(schedule, momentum=0.9, nesterov=True)
            self.train_loss = tf.keras.metrics.Mean("train_loss", dtype=tf.float32)
            self.test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy("test_accuracy", dtype=tf.float32)
            self.epoch = tf.Variable(0, trainable=False, dtype=tf.int64, name="epoch")
            checkpoint = tf.train.Checkpoint(model=self.model, optimizer=self.optimizer, epoch=self.epoch)
        self.manager = tf.train.CheckpointManager(checkpoint, os.path.join(FLAGS.model_dir, "ckpt"), max_to_keep=2)
        if self.manager.latest_checkpoint:
            checkpoint.restore(self.manager.latest_checkpoint)
            logging.info("Resumed from %s after epoch %d.", self.manager.latest_checkpoint, self.epoch.numpy())

    @tf.function
    def train_step(self, iterator: tf.data.Iterator) -> tf.Tensor:
        """One step on all replicas; returns the loss of the global batch."""

        def step_fn(inputs: tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
            images, labels = inputs
            with tf.GradientTape() as tape:
                logits = self.model(images, training=True)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
                loss: tf.Tensor = tf.reduce_sum(losses) * (1.0 / FLAGS.batch_size)
            gradients = tape.gradient(loss, self.model.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
            self.train_loss.update_state(loss * self.strategy.num_replicas_in_sync)
            return loss

        per_replica = self.strategy.run(step_fn, args=(next(iterator),))
        loss: tf.Tensor = self.strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)
        return loss

    @tf.function
    def test_step(self, iterator: tf.data.Iterator) -> None:
        """Count what the model says of one batch."""

        def step_fn(inputs: tuple[tf.Tensor, tf.Tensor]) -> None:
            images, labels = inputs
            self.test_accuracy.update_state(labels, self.model(images, training=False))

        self.strategy.run(step_fn, args=(next(iterator),))

    def train(self, train_ds: tf.data.Dataset, test_ds: tf.data.Dataset, test_steps: int) -> dict[str, list[float]]:
        """Train the epochs that are left; returns the losses of their steps and the accuracies after each."""
        writer = tf.summary.create_file_writer(os.path.join(FLAGS.model_dir, "summaries"))
        losses, accuracies = [], []
        for epoch in range(int(self.epoch.numpy()), FLAGS.train_epochs):
            self.train_loss.reset_states()
            self.test_accuracy.reset_states()
            iterator = iter(self.strategy.experimental_distribute_dataset(train_ds))
            for _ in range(self.steps_per_epoch):
                losses.append(self.train_step(iterator).numpy())
            iterator = iter(self.strategy.experimental_distribute_dataset(test_ds))
            for _ in range(test_steps):
                self.test_step(iterator)
            accuracies.append(self.test_accuracy.result().numpy())
            with writer.as_default():
                tf.summary.scalar("loss", self.train_loss.result(), step=self.optimizer.iterations)
                tf.summary.scalar("accuracy", self.test_accuracy.result(), step=self.optimizer.iterations)
            self.epoch.assign_add(1)
            path = self.manager.save()
            logging.info("Epoch %d: loss %.4f, accuracy %.4f, %s", epoch + 1, losses[-1], accuracies[-1], path)
        writer.flush()
        return {"losses": [float(x) for x in losses], "test accuracy": [float(x) for x in accuracies]}


def run() -> dict[str, list[float]]:
    """Read the data, train, and return the curve."""
    strategy = get_distribution_strategy(FLAGS.distribution_strategy, FLAGS.num_replicas)
    logging.info("Number of replicas: %d", strategy.num_replicas_in_sync)
    (images, labels), (test_images, test_labels) = tf.keras.datasets.fashion_mnist.load_data()

    def dataset(images: np.ndarray, labels: np.ndarray) -> tf.data.Dataset:
        images, labels = images[: FLAGS.limit], labels[: FLAGS.limit]
        pixels = (images / 255.0).astype(np.float32)
        return tf.data.Dataset.from_tensor_slices((pixels, labels.astype(np.int64))).batch(FLAGS.batch_size)

    train_ds, test_ds = dataset(images, labels), dataset(test_images, test_labels)
    steps, test_steps = (int(tf.data.experimental.cardinality(ds).numpy()) for ds in (train_ds, test_ds))
    trainer = Trainer(strategy, steps)
    curve = trainer.train(train_ds, test_ds, test_steps)
    np.savez(os.path.join(FLAGS.model_dir, "weights.npz"), *trainer.model.get_weights())
    return curve


def main(_: list[str]) -> None:
    curve = run()
    with tf.io.gfile.GFile(os.path.join(FLAGS.model_dir, "curve.json"), "w") as file:
        file.write(json.dumps(curve))


if __name__ == "__main__":
    logging.set_verbosity(logging.INFO)
    tf.enable_v2_behavior()
    app.run(main)
