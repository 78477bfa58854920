"""Read with PyTorch, train here: a Dataset and a DataLoader of torch feed `fit` on two replicas.

pip install torch; python examples/torch_loader.py --help
"""

import argparse

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

import stratagem as tf

GLOBAL_BATCH = 128


class Pictures(Dataset[tuple[torch.Tensor, int]]):
    """A dataset as a PyTorch program has it: rows by number, changed at random while training."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, flipped: bool) -> None:
        self.images, self.labels, self.flipped = torch.from_numpy(images), labels, flipped

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        image = self.images[index].float() / 255
        if self.flipped and torch.rand(()) < 0.5:
            image = image.flip(-1)
        return image, int(self.labels[index])


def main() -> None:
    """Train, and print the accuracy on the test images."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=3, help="Passes over the images.")
    parser.add_argument("--limit", type=int, default=20_000, help="Use only the first so many images.")
    parser.add_argument("--processes", type=int, default=0, help="Processes in which PyTorch reads.")
    options = parser.parse_args()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    torch.manual_seed(1)

    training, test = (
        Pictures(images[: options.limit], labels[: options.limit], flipped=not number)
        for number, (images, labels) in enumerate(tf.keras.datasets.fashion_mnist.load_data())
    )
    # Its batches are global batches: the strategy divides each among the replicas.
    loader = DataLoader(
        training,
        batch_size=GLOBAL_BATCH,
        shuffle=True,
        num_workers=options.processes,
        multiprocessing_context="spawn"
        if options.processes
        else None,  # JAX has threads, which a fork would not take over
    )
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                tf.keras.Input((28, 28)),
                tf.keras.layers.Flatten(),
                tf.keras.layers.Dense(128, activation="relu"),
                tf.keras.layers.Dense(10),
            ]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"])
    model.fit(loader, epochs=options.epochs, verbose=2)
    accuracy = model.evaluate(DataLoader(test, batch_size=1000), verbose=0, return_dict=True)["accuracy"]
    print(f"accuracy on the test images: {accuracy:.4f}")


if __name__ == "__main__":
    main()
