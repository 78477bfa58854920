#!/usr/bin/env python3
"""Train on Fashion-MNIST with summaries, and take a picture of what TensorBoard shows: tensorboard_picture.py PICTURE.png

Needs the dataset (fetch_data.py), the packages tensorboard and playwright, and a Chromium that playwright finds
(`playwright install chromium`) or that is named in $CHROMIUM.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import jax
from playwright.sync_api import sync_playwright

import stratagem as tf
from stratagem.testing import free_ports

EPOCHS, SIZE = 5, {"width": 1460, "height": 1060}


def train(folder: str) -> None:
    """A small network on two replicas: curves, histograms of its weights, pictures of what it gets wrong."""
    (x, y), (test_x, test_y) = tf.keras.datasets.fashion_mnist.load_data()
    x, y, test_x, test_y = x[:20000, ..., None] / 255.0, y[:20000], test_x[:2000, ..., None] / 255.0, test_y[:2000]
    with tf.distribute.MirroredStrategy().scope():
        layers = tf.keras.layers
        model = tf.keras.Sequential(
            [
                tf.keras.Input((28, 28, 1)),
                layers.Conv2D(16, 3, activation="relu", name="conv"),
                layers.MaxPooling2D(),
                layers.Flatten(),
                layers.Dropout(0.3),
                layers.Dense(10, name="classes"),
            ],
            name="clothes",
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"])
    wrong = tf.summary.create_file_writer(os.path.join(folder, "pictures"))

    def show_wrong(epoch: int, logs: object) -> None:
        missed = model.predict(test_x, batch_size=500, verbose=0).argmax(1) != test_y
        with wrong.as_default(), tf.summary.record_if(True):  # in `fit`, update_freq decides otherwise
            tf.summary.image("wrong", test_x[missed], step=epoch)

    callbacks = [
        tf.keras.callbacks.TensorBoard(folder, histogram_freq=1, update_freq=20),
        tf.keras.callbacks.LambdaCallback(on_epoch_end=show_wrong),
    ]
    model.fit(x, y, 128, EPOCHS, verbose=2, callbacks=callbacks, validation_data=(test_x, test_y))


def wait_for(address: str) -> None:
    """Until something answers there."""
    for _ in range(300):
        try:
            urllib.request.urlopen(address).close()
            return
        except urllib.error.URLError:
            time.sleep(0.2)
    raise TimeoutError(f"{address} does not answer")


def main() -> None:
    """Train, show, photograph."""
    jax.config.update("jax_num_cpu_devices", 2)
    (port,) = free_ports(1)
    with tempfile.TemporaryDirectory() as folder:
        train(folder)
        command = [sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", str(port)]
        board = subprocess.Popen(command)
        try:
            wait_for(f"http://localhost:{port}/")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
                page = browser.new_page(viewport=SIZE)
                page.goto(f"http://localhost:{port}/?tagFilter=epoch_|batch_loss|conv.kernel|wrong#timeseries")
                page.get_by_role("button", name="Settings").last.click()  # closes what is open at first
                page.wait_for_timeout(15_000)
                page.screenshot(path=sys.argv[1])
                browser.close()
        finally:
            board.terminate()
            board.wait()


if __name__ == "__main__":
    main()
