"""Write folders of JPEGs, one for each kind of clothing, and train on them with random changes of the images, on two replicas.

python examples/fashion_mnist_jpegs.py --help
"""

import argparse
import json
import os

import numpy as np

import stratagem as tf

CLASSES, GLOBAL_BATCH = 10, 32


def write_folders(folder: str, images: np.ndarray, labels: np.ndarray, each: int) -> None:
    """Write the first images of every class as `folder/class/number.jpg`."""
    for label in range(CLASSES):
        os.makedirs(os.path.join(folder, str(label)), exist_ok=True)
        for number, image in enumerate(images[labels == label][:each]):
            encoded = tf.io.encode_jpeg(image[..., np.newaxis], format="grayscale", quality=95)
            tf.io.write_file(os.path.join(folder, str(label), f"{number:05}.jpg"), encoded)


def read_folders(folder: str, each: int) -> tf.data.Dataset:
    """Images (28, 28, 1) and labels, one of every class in turn: the folders come one after the other."""
    by_class: tf.data.Dataset = tf.keras.utils.image_dataset_from_directory(
        folder, color_mode="grayscale", image_size=(28, 28), shuffle=False, batch_size=each
    ).batch(CLASSES)
    in_turn = by_class.map(lambda images, labels: (tf.transpose(images, (1, 0, 2, 3, 4)), tf.transpose(labels)))
    return in_turn.unbatch().unbatch()


def changed(index: tf.Tensor, example: tuple[tf.Tensor, tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
    """Flip, shift, brighten at random; the same example is changed in the same way in every run."""
    image, label = example
    seed = tf.stack([tf.cast(index, tf.int32), 7])
    image = tf.image.stateless_random_flip_left_right(image / 255.0, seed)
    image = tf.image.resize_with_crop_or_pad(image, 32, 32)
    image = tf.image.stateless_random_crop(image, (28, 28, 1), seed)
    image = tf.image.stateless_random_contrast(image, 0.8, 1.2, seed)
    return tf.image.stateless_random_brightness(image, 0.1, seed), label


def make_model(seed: int = 3) -> tf.keras.Model:
    """One score for every kind of clothing, compiled."""
    layers = [
        tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(CLASSES),
    ]
    model = tf.keras.Sequential([tf.keras.Input(shape=(28, 28, 1)), *layers])
    numbers = np.random.default_rng(seed)  # the same initial weights in every run and on every machine
    model.set_weights([numbers.normal(0, 0.05, weight.shape) for weight in model.get_weights()])
    model.compile(
        optimizer=tf.keras.optimizers.SGD(0.05, momentum=0.875),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def main() -> None:
    """Train, and write `curve.json` and `weights.npz`."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=3, help="Passes over the images.")
    parser.add_argument("--limit", type=int, default=5000, help="About so many images.")
    parser.add_argument("--output", default="runs/fashion_mnist_jpegs")
    options = parser.parse_args()
    each = max(options.limit // CLASSES, 1)

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    (images, labels), _ = tf.keras.datasets.fashion_mnist.load_data()
    folder = os.path.join(options.output, "jpegs")
    write_folders(folder, images, labels, each)

    dataset = read_folders(folder, each).enumerate().map(lambda index, example: changed(index, example))
    with strategy.scope():
        model = make_model()
    history = model.fit(dataset.batch(GLOBAL_BATCH).prefetch(2), epochs=options.epochs, verbose=2)

    with open(os.path.join(options.output, "curve.json"), "w") as file:
        json.dump({name: [float(value) for value in values] for name, values in history.history.items()}, file)
    weights = {f"weight{index}": weight for index, weight in enumerate(model.get_weights())}
    np.savez(os.path.join(options.output, "weights.npz"), **weights)


if __name__ == "__main__":
    main()
