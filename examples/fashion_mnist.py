"""Train a convolutional network on Fashion-MNIST over several devices, save it, restore it on one, and draw the curves.

python examples/fashion_mnist.py --help
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import stratagem as tf

Examples = tuple[np.ndarray, np.ndarray]  # images (n, 28, 28, 1) and their labels (n,), both as bytes
console = Console(highlight=False, soft_wrap=True)


@click.command()
@click.option("--epochs", default=6, show_default=True, type=click.IntRange(1), help="Passes over the training images.")
@click.option(
    "--batch-size", default=64, show_default=True, type=click.IntRange(1), help="Images per replica and step."
)
@click.option(
    "--replicas", default=2, show_default=True, type=click.IntRange(1), help="Virtual CPU devices, if no GPU."
)
@click.option(
    "--output", default="runs/fashion_mnist", show_default=True, type=click.Path(path_type=Path), help="Folder."
)
@click.option("--limit", type=click.IntRange(1), help="Use only the first so many training and test images.")
@click.option("--goal", default=0.88, show_default=True, type=click.FloatRange(0, 1), help="Test accuracy to reach.")
def main(epochs: int, batch_size: int, replicas: int, output: Path, limit: int | None, goal: float) -> None:
    """Train a convolutional network on Fashion-MNIST; exit code 1 if it does not reach the goal."""
    if not tf.config.list_physical_devices("GPU"):  # make several devices of the CPU, before anything uses it
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    strategy = tf.distribute.MirroredStrategy()
    training, test = (
        (images[:limit, ..., np.newaxis], labels[:limit])
        for images, labels in tf.keras.datasets.fashion_mnist.load_data()
    )
    console.print(f"training on {len(training[0])} images, replicas in sync: {strategy.num_replicas_in_sync}")

    checkpoint, history = train(strategy, (training, test), epochs, batch_size, output / "checkpoints")
    restored = evaluate(checkpoint, test, batch_size)
    console.print(f"restored {checkpoint} without a strategy: test accuracy {restored:.4f}")
    curves = draw(history, output / "curves.png")
    console.print(f"drew {curves}")
    if restored != history[-1].test_accuracy:
        raise click.ClickException(f"the model that was saved had test accuracy {history[-1].test_accuracy:.4f}")
    if restored < goal:
        raise click.ClickException(f"test accuracy {restored:.4f} is below the goal of {goal}; try more --epochs")


class Epoch(NamedTuple):
    """What one pass over the training images gave."""

    loss: float
    train_accuracy: float  # of the model while it learnt
    test_accuracy: float  # of the model at the end of the epoch
    seconds: float


def train(
    strategy: tf.distribute.Strategy, data: tuple[Examples, Examples], epochs: int, batch_size: int, folder: Path
) -> tuple[str | None, list[Epoch]]:
    """Train on all replicas and save after every epoch; returns the last checkpoint's path and the epochs."""
    images, global_batch = len(data[0][0]), batch_size * strategy.num_replicas_in_sync
    train_data, test_data = map(tf.data.Dataset.from_tensor_slices, data)
    shuffled = train_data.shuffle(images).batch(global_batch).prefetch(2)
    in_order = test_data.batch(global_batch).prefetch(2)
    # Datasets have global batches; these hand every replica its own part of each.
    train_batches = strategy.experimental_distribute_dataset(shuffled)
    test_batches = strategy.experimental_distribute_dataset(in_order)
    trainer = Trainer(strategy, global_batch)
    with strategy.scope():
        parts = tf.train.Checkpoint(model=trainer.model, optimizer=trainer.optimizer)
        manager = tf.train.CheckpointManager(parts, folder, max_to_keep=2)

    checkpoint: str | None = None
    history: list[Epoch] = []
    for number in range(1, epochs + 1):
        title, start = f"epoch {number}/{epochs}", time.perf_counter()
        loss = trainer.learn(train_batches, images, title)
        accuracies = float(trainer.train_accuracy.result()), trainer.test(test_batches)
        history.append(Epoch(loss, *accuracies, time.perf_counter() - start))
        checkpoint = manager.save()
        line = "loss {:.4f}  train accuracy {:.4f}  test accuracy {:.4f}  {:.1f} s".format(*history[-1])
        console.print(f"{title}  {line}")
    return checkpoint, history


class Trainer:
    """A model with a copy on every replica, and how it learns."""

    def __init__(self, strategy: tf.distribute.Strategy, global_batch: int) -> None:
        self.strategy, self.global_batch = strategy, global_batch
        with strategy.scope():  # what is created here has a copy on every replica, and the copies stay equal
            self.model = build_model()
            self.optimizer = tf.keras.optimizers.Adam()
            self.losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
            self.train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
            self.test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    def learn(self, batches: tf.distribute.DistributedDataset, images: int, title: str) -> float:
        """One pass over the training images behind a progress bar; returns the mean loss."""
        self.train_accuracy.reset_state()
        with progress_bar() as bar:
            task = bar.add_task(title, total=images, loss="starting", speed="")
            before, total = time.perf_counter(), 0.0
            for step, batch in enumerate(batches, start=1):
                total += self.train_step(
                    batch
                )  # does not wait: the next batch is made ready while this one is computed
                if step % 20 == 0:  # reading a number does wait, so that the bar shows what is done, not what is begun
                    loss, now = float(total) / step, time.perf_counter()
                    speed, before = 20 * self.global_batch / (now - before), now
                    done = step * self.global_batch
                    bar.update(task, completed=done, loss=f"loss {loss:.3f}", speed=f"{speed:,.0f} images/s")
            return float(total) * self.global_batch / images

    def test(self, batches: tf.distribute.DistributedDataset) -> float:
        """The accuracy on the test images."""
        self.test_accuracy.reset_state()
        for batch in batches:
            self.test_step(batch)
        return float(self.test_accuracy.result())

    @tf.function  # the step on all replicas, communication included, is one compiled program
    def train_step(self, batch: tuple[Any, Any]) -> tf.Tensor:
        losses = self.strategy.run(self.train_replica, args=batch)
        loss: tf.Tensor = self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
        return loss

    def train_replica(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """What every replica does with its own part of the batch."""
        with tf.GradientTape() as tape:
            scores = self.model(images, training=True)
            # Divided by the size of the global batch, so that the sum over replicas is the mean over the whole batch.
            loss = tf.nn.compute_average_loss(self.losses(labels, scores), global_batch_size=self.global_batch)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(
            zip(gradients, self.model.trainable_variables, strict=True)
        )  # sums over replicas
        self.train_accuracy.update_state(labels, scores)
        return loss

    @tf.function
    def test_step(self, batch: tuple[Any, Any]) -> None:
        self.strategy.run(self.test_replica, args=batch)

    def test_replica(self, images: tf.Tensor, labels: tf.Tensor) -> None:
        self.test_accuracy.update_state(labels, self.model(images, training=False))


def build_model() -> tf.keras.Model:
    """From images as bytes to one score for every kind of clothing."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Rescaling(1 / 255),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.25),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )


def progress_bar() -> Progress:
    """A bar that goes away when it is done, and does not appear when the output is no terminal."""
    text = TextColumn("{task.description}"), TextColumn("{task.fields[loss]}"), TextColumn("{task.fields[speed]}")
    columns = (text[0], BarColumn(), MofNCompleteColumn(), *text[1:], TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, refresh_per_second=4, disable=not console.is_terminal)


def evaluate(checkpoint: str | None, examples: Examples, batch_size: int) -> float:
    """The accuracy of a new model with the saved weights, on one device and without a strategy."""
    model, accuracy = build_model(), tf.keras.metrics.SparseCategoricalAccuracy()
    status = tf.train.Checkpoint(model=model).restore(checkpoint)  # layers get their weights when they are built

    @tf.function
    def step(images: tf.Tensor, labels: tf.Tensor) -> None:
        accuracy.update_state(labels, model(images, training=False))

    for images, labels in tf.data.Dataset.from_tensor_slices(examples).batch(batch_size):
        step(images, labels)
    status.assert_existing_objects_matched().expect_partial()  # the optimizer was saved as well and is not needed here
    return float(accuracy.result())


def draw(history: list[Epoch], path: Path) -> Path:
    """Write the loss and the accuracies of all epochs as a PNG file."""
    epochs, loss, train_accuracy, test_accuracy = range(1, len(history) + 1), *list(zip(*history, strict=True))[:3]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(epochs, loss, marker="o")
    left.set(title="Loss", xlabel="epoch", ylabel="cross-entropy per training image", ylim=(0, None))
    right.plot(epochs, train_accuracy, marker="o", label="training images, while learning")
    right.plot(epochs, test_accuracy, marker="o", label="test images")
    right.set(title="Accuracy", xlabel="epoch", ylabel="share of images classified correctly")
    right.legend()
    for axes in (left, right):
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


if __name__ == "__main__":
    main()
