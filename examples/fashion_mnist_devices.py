"""Train in a loop of its own and look into it: devices, memory growth, placement, names, a profile of some steps.

python examples/fashion_mnist_devices.py --help
"""

import argparse
import json
from pathlib import Path

import numpy as np

import stratagem as tf

GLOBAL_BATCH = 64


def set_up_devices() -> None:
    """All GPUs, each with the memory that it needs and no more; without any, two devices of the CPU."""
    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        try:
            for gpu in gpus:
                tf.config.experimental.set_memory_growth(gpu, True)
            logical = tf.config.list_logical_devices("GPU")
            print(len(gpus), "physical GPUs,", len(logical), "logical GPUs")
        except RuntimeError as error:  # memory growth must be set before a GPU is used
            print(error)
    else:
        cpu = tf.config.list_physical_devices("CPU")[0]
        try:
            two = [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()]
            tf.config.set_logical_device_configuration(cpu, two)
        except RuntimeError as error:
            print(error)


class Classifier(tf.Module):
    """A convolution and two dense layers, out of variables and functions alone."""

    def __init__(self, seed: int = 15) -> None:
        super().__init__(name="classifier")
        numbers = np.random.default_rng(seed)  # the same initial weights in every run and on every machine

        def weight(shape: tuple[int, ...], name: str) -> tf.Variable:
            return tf.Variable(numbers.normal(0, 0.05, shape).astype(np.float32), name=name)

        with tf.name_scope("convolution"):
            self.filters = weight((3, 3, 1, 8), "filters")
        with tf.name_scope("dense"):
            self.hidden, self.hidden_bias = weight((13 * 13 * 8, 16), "hidden"), weight((16,), "hidden_bias")
            self.scores, self.scores_bias = weight((16, 10), "scores"), weight((10,), "scores_bias")

    @tf.Module.with_name_scope
    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        with tf.name_scope("convolution"):
            maps = tf.nn.relu(tf.nn.conv2d(images, self.filters, strides=2, padding="VALID"))
        with tf.name_scope("dense"):
            flat = tf.reshape(maps, [tf.shape(maps)[0], -1])
            hidden = tf.nn.relu(tf.matmul(flat, self.hidden) + self.hidden_bias)
            return tf.matmul(hidden, self.scores) + self.scores_bias


def main() -> None:
    """Train, with the profiler on during some steps of the first epoch."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit", type=int, help="Use only the first so many training and test images.")
    parser.add_argument("--output", type=Path, default=Path("runs/fashion_mnist_devices"))
    parser.add_argument("--log-placement", action="store_true", help="Print on which device every function runs.")
    options = parser.parse_args()

    tf.debugging.set_log_device_placement(options.log_placement)
    set_up_devices()
    strategy = tf.distribute.MirroredStrategy()
    if not tf.config.list_physical_devices("GPU"):
        strategy = tf.distribute.MirroredStrategy([device.name for device in tf.config.list_logical_devices("CPU")])
    print("replicas:", strategy.num_replicas_in_sync)

    with tf.device("/cpu:0"):  # the input pipeline and what is prepared once stay on the host
        (images, labels), (test_images, test_labels) = tf.keras.datasets.fashion_mnist.load_data()
        mean = tf.reduce_mean(tf.cast(images[: options.limit], tf.float32))
        deviation = tf.math.reduce_std(tf.cast(images[: options.limit], tf.float32))
        print(f"pixels: {mean.numpy():.3f} ± {deviation.numpy():.3f}")

        def dataset(images: np.ndarray, labels: np.ndarray) -> tf.data.Dataset:
            images, labels = images[: options.limit], labels[: options.limit]
            pixels = (tf.cast(images[..., np.newaxis], tf.float32) - mean) / deviation
            return tf.data.Dataset.from_tensor_slices((pixels, labels.astype(np.int32))).batch(GLOBAL_BATCH)

        train_batches = strategy.experimental_distribute_dataset(dataset(images, labels))
        test_batches = strategy.experimental_distribute_dataset(dataset(test_images, test_labels))

    with strategy.scope():
        model = Classifier()
        optimizer = tf.keras.optimizers.RMSprop(1e-3)
        correct = tf.keras.metrics.SparseCategoricalAccuracy()

    def train_replica(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape, tf.name_scope("loss"):
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        with tf.name_scope("update"):
            gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        loss: tf.Tensor = strategy.reduce("SUM", strategy.run(train_replica, args=(images, labels)), axis=None)
        return loss

    @tf.function
    def test_step(images: tf.Tensor, labels: tf.Tensor) -> None:
        strategy.run(lambda images, labels: correct.update_state(labels, model(images)), args=(images, labels))

    losses, accuracies, step = [], [], 0
    for epoch in range(options.epochs):
        for images, labels in train_batches:
            if step == 3:
                tf.profiler.experimental.start(str(options.output / "profile"))
            with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
                losses.append(float(train_step(images, labels)))
            if step == 5:
                tf.profiler.experimental.stop()
            step += 1
        correct.reset_state()
        for images, labels in test_batches:
            test_step(images, labels)
        accuracies.append(float(correct.result()))
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}, test accuracy {accuracies[-1]:.4f}")

    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "curve.json").write_text(json.dumps({"losses": losses, "test accuracy": accuracies}))
    np.savez(options.output / "weights.npz", *(weight.numpy() for weight in model.trainable_variables))
    print("profile:", sorted(p.suffixes[-2] for p in (options.output / "profile").rglob("*.xplane.pb")))


if __name__ == "__main__":
    main()
