"""Train a convolutional network on Fashion-MNIST over several devices, save it, restore it on one, and draw the curves.

python examples/fashion_mnist.py --help
"""

import time
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

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
@click.option("--output", default="runs/fashion_mnist", show_default=True, type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(1), help="Use only the first so many training and test images.")
@click.option("--goal", default=0.88, show_default=True, type=click.FloatRange(0, 1), help="Test accuracy to reach.")
def main(epochs: int, batch_size: int, replicas: int, output: Path, limit: int | None, goal: float) -> None:
    """Train a convolutional network on Fashion-MNIST; exit code 1 if it does not reach the goal."""
    if not tf.config.list_physical_devices("GPU"):  # make several devices of the CPU, before anything uses it
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    strategy = tf.distribute.MirroredStrategy()
    train_examples, test_examples = load(limit)
    count = strategy.num_replicas_in_sync
    console.print(
        f"Fashion-MNIST: {len(train_examples[0])} training images, {count} replicas x {batch_size} images a step"
    )

    history, checkpoint = train(strategy, train_examples, test_examples, epochs, batch_size, output / "checkpoints")
    accuracy = evaluate(checkpoint, test_examples, batch_size)
    console.print(f"saved    {checkpoint}")
    console.print(f"restored without a strategy: test accuracy {accuracy:.4f}")
    console.print(f"curves   {draw(history, output / 'curves.png')}")
    if accuracy != history[-1].test_accuracy:
        raise click.ClickException(f"the model that was saved had test accuracy {history[-1].test_accuracy:.4f}")
    if accuracy < goal:
        raise click.ClickException(f"test accuracy {accuracy:.4f} is below the goal of {goal}; try more --epochs")


def load(limit: int | None) -> tuple[Examples, Examples]:
    """The training and the test examples."""
    parts = tf.keras.datasets.fashion_mnist.load_data()
    train_part, test_part = ((images[:limit, ..., np.newaxis], labels[:limit]) for images, labels in parts)
    return train_part, test_part


def build_model() -> tf.keras.Model:
    """From images as bytes to one score per kind of clothing."""
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


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training images gave; the training accuracy is that of the model while it learnt."""

    loss: float
    train_accuracy: float
    test_accuracy: float
    seconds: float


def train(
    strategy: tf.distribute.Strategy,
    train_examples: Examples,
    test_examples: Examples,
    epochs: int,
    batch_size: int,
    folder: Path,
) -> tuple[list[Epoch], str]:
    """Train on all replicas and save after every epoch; returns what each epoch gave and the last checkpoint's path."""
    images = len(train_examples[0])
    global_batch = batch_size * strategy.num_replicas_in_sync
    shuffled = tf.data.Dataset.from_tensor_slices(train_examples).shuffle(images).batch(global_batch).prefetch(2)
    in_order = tf.data.Dataset.from_tensor_slices(test_examples).batch(global_batch).prefetch(2)
    # Datasets have global batches. These hand every replica its part of each.
    train_batches = strategy.experimental_distribute_dataset(shuffled)
    test_batches = strategy.experimental_distribute_dataset(in_order)

    with strategy.scope():  # what is created here has a copy on every replica, and the copies stay equal
        model = build_model()
        optimizer = tf.keras.optimizers.Adam()
        train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        loss_of_each = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        saver = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, optimizer=optimizer), folder, max_to_keep=2)

    def train_replica(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """One replica's part of a step: `images` is its own part of the batch."""
        with tf.GradientTape() as tape:
            scores = model(images, training=True)
            # Divided by the global batch size: the sum over replicas is the mean over the whole batch.
            loss = tf.nn.compute_average_loss(loss_of_each(labels, scores), global_batch_size=global_batch)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))  # sums them over replicas
        train_accuracy.update_state(labels, scores)
        return loss

    def test_replica(images: tf.Tensor, labels: tf.Tensor) -> None:
        test_accuracy.update_state(labels, model(images, training=False))

    @tf.function  # the whole step, communication included, is one compiled program
    def train_step(batch: tuple) -> tf.Tensor:
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(train_replica, args=batch), axis=None)

    @tf.function
    def test_step(batch: tuple) -> None:
        strategy.run(test_replica, args=batch)

    history = []
    for number in range(1, epochs + 1):
        start, total = time.perf_counter(), 0.0
        train_accuracy.reset_state()
        test_accuracy.reset_state()
        with progress_bar() as bar:
            task = bar.add_task(f"epoch {number}/{epochs}", total=images)
            for step, batch in enumerate(train_batches, start=1):
                total += train_step(batch)  # waits for nothing: the next batch is prepared while this one is computed
                bar.update(task, completed=min(step * global_batch, images))
            for batch in test_batches:
                test_step(batch)
            epoch = Epoch(
                loss=float(total) * global_batch / images,
                train_accuracy=float(train_accuracy.result()),
                test_accuracy=float(test_accuracy.result()),
                seconds=time.perf_counter() - start,
            )
        checkpoint = saver.save()
        history.append(epoch)
        console.print(
            f"epoch {number}/{epochs}  loss {epoch.loss:.4f}  train accuracy {epoch.train_accuracy:.4f}  "
            f"test accuracy {epoch.test_accuracy:.4f}  {epoch.seconds:.1f} s"
        )
    return history, checkpoint


class Speed(ProgressColumn):
    """Images a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:,.0f} images/s", style="progress.data.speed")


def progress_bar() -> Progress:
    """A bar that goes away when its epoch is done, and is not there at all when the output is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Speed(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, refresh_per_second=4, disable=not console.is_terminal)


def evaluate(checkpoint: str, examples: Examples, batch_size: int) -> float:
    """The accuracy of a fresh model with the saved weights, on one device and without a strategy."""
    model = build_model()
    status = tf.train.Checkpoint(model=model).restore(checkpoint)  # the layers get their weights when they are built
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def step(images: tf.Tensor, labels: tf.Tensor) -> None:
        accuracy.update_state(labels, model(images, training=False))

    for images, labels in tf.data.Dataset.from_tensor_slices(examples).batch(batch_size):
        step(images, labels)
    status.assert_existing_objects_matched().expect_partial()  # the optimizer's variables are not needed here
    return float(accuracy.result())


def draw(history: list[Epoch], path: Path) -> Path:
    """Write the loss and the accuracies of all epochs as a PNG file."""
    epochs = range(1, len(history) + 1)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(epochs, [epoch.loss for epoch in history], marker="o")
    left.set(title="Loss", xlabel="epoch", ylabel="cross-entropy per training image", ylim=(0, None))
    right.plot(epochs, [epoch.train_accuracy for epoch in history], marker="o", label="training (while learning)")
    right.plot(epochs, [epoch.test_accuracy for epoch in history], marker="o", label="test")
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
