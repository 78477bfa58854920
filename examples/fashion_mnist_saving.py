"""Train with `fit` on two replicas, save after every epoch in each of the ways, load and continue as if nothing had happened.

python examples/fashion_mnist_saving.py --help
"""

import argparse
import json
import os

import numpy as np

import stratagem as tf

GLOBAL_BATCH = 64


def make_model(seed: int = 15) -> tf.keras.Model:
    """One score for every kind of clothing, compiled."""
    inputs = tf.keras.Input(shape=(28, 28, 1), name="images")
    x = tf.keras.layers.Conv2D(8, 3, strides=2, use_bias=False)(inputs)
    x = tf.keras.layers.BatchNormalization(momentum=0.9)(x)
    x = tf.keras.layers.ReLU()(x)
    x = tf.keras.layers.Flatten()(x)
    x = tf.keras.layers.Dense(16, activation="relu")(x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(10)(x))
    numbers = np.random.default_rng(seed)  # the same initial weights in every run and on every machine
    for layer in model.layers:
        if isinstance(layer, (tf.keras.layers.Conv2D, tf.keras.layers.Dense)):
            layer.set_weights([numbers.normal(0, 0.05, weight.shape) for weight in layer.get_weights()])
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=2e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def main() -> None:
    """Train twice as many epochs as `--epochs` in one go, then in two halves with the disk between them."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=1, help="Epochs before and after loading.")
    parser.add_argument("--limit", type=int, help="Use only the first so many training and test images.")
    parser.add_argument("--output", default="runs/fashion_mnist_saving")
    options = parser.parse_args()
    half, epochs = options.epochs, 2 * options.epochs

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    (images, labels), (test_images, test_labels) = tf.keras.datasets.fashion_mnist.load_data()

    def dataset(images: np.ndarray, labels: np.ndarray) -> tf.data.Dataset:
        images, labels = images[: options.limit, ..., np.newaxis] / np.float32(255), labels[: options.limit]
        return tf.data.Dataset.from_tensor_slices((images, labels)).batch(GLOBAL_BATCH)

    train, test = dataset(images, labels), dataset(test_images, test_labels)
    folder = os.path.join(options.output, "saved")
    weights = os.path.join(options.output, "ckpt_{epoch}")
    callbacks = [
        tf.keras.callbacks.ModelCheckpoint(
            os.path.join(options.output, "best"), monitor="val_loss", save_best_only=True
        ),
        tf.keras.callbacks.ModelCheckpoint(weights, save_weights_only=True),
    ]
    with strategy.scope():
        model = make_model()
    whole = model.fit(train, epochs=epochs, validation_data=test, callbacks=callbacks, verbose=2).history

    with strategy.scope():
        first = make_model()
    first.fit(train, epochs=half, verbose=2)
    first.save(folder)
    with strategy.scope():
        loaded = tf.keras.models.load_model(folder)
    continued = loaded.fit(train, epochs=epochs, initial_epoch=half, validation_data=test, verbose=2).history

    first.save(folder + ".keras")
    with strategy.scope():
        loaded_file = tf.keras.models.load_model(folder + ".keras")
    file_history = loaded_file.fit(train, epochs=epochs, initial_epoch=half, validation_data=test, verbose=2).history

    alone = tf.keras.models.load_model(folder)  # without a strategy: on one device
    alone_history = alone.fit(train, epochs=epochs, initial_epoch=half, validation_data=test, verbose=2).history
    same = make_model()
    same.load_weights(weights.format(epoch=epochs))
    loss, accuracy = same.evaluate(test, verbose=2)
    best = tf.keras.models.load_model(os.path.join(options.output, "best"))
    print("best model:", best.evaluate(test, verbose=2, return_dict=True), "of", whole["val_loss"])

    curve = {
        "uninterrupted": whole["loss"],
        "uninterrupted, validation": whole["val_loss"],
        "continued": continued["loss"],
        "continued, validation": continued["val_loss"],
        "continued from a file": file_history["loss"],
        "continued on one device": alone_history["loss"],
        "accuracy": whole["val_accuracy"],
        "of the weights": [loss, accuracy],
        "of the best": best.evaluate(test, verbose=0),
    }
    with open(os.path.join(options.output, "curve.json"), "w") as file:
        json.dump(curve, file)
    np.savez(os.path.join(options.output, "weights.npz"), *model.get_weights())
    np.savez(os.path.join(options.output, "continued.npz"), *loaded.get_weights())


if __name__ == "__main__":
    main()
