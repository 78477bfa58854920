#!/usr/bin/env python3
"""Makes docs/pictures/profile.svg: what `stratagem profile` draws of two workers that train a dense network by `fit`.

profile_picture.py     trains for a few seconds, and keeps the picture of the page
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "profile.svg"
PROGRAM = """
import time
import numpy as np
import stratagem as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((784,)), tf.keras.layers.Dense(1024, "relu"), tf.keras.layers.Dense(10)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))


def batches(context):
    def images():
        while True:
            time.sleep(0.02)
            yield np.random.rand(256, 784).astype(np.float32), np.random.randint(0, 10, 256)

    spec = tf.TensorSpec((256, 784), tf.float32), tf.TensorSpec((256,), tf.int64)
    return tf.data.Dataset.from_generator(images, output_signature=spec)


data = strategy.distribute_datasets_from_function(batches)
model.fit(data, steps_per_epoch=60, epochs=1, verbose=0)
"""


def main() -> None:
    """Writes the picture."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "train.py")
        program.write_text(PROGRAM)
        stratagem = [sys.executable, "-m", "stratagem.cli"]
        launched = [*stratagem, "launch", "--workers", "2", "--tee", "none", str(program)]
        subprocess.run([*stratagem, "profile", "--out", f"{folder}/profile", "--", *launched], check=True)
        (page,) = Path(folder).glob("profile/*/report.html")
        found = re.search(r"<svg .*</svg>", page.read_text(encoding="utf-8"), re.DOTALL)
        assert found is not None, "the page has a picture"
        PICTURE.write_text(found.group() + "\n", encoding="utf-8")
    print("profile_picture: wrote profile.svg")


if __name__ == "__main__":
    main()
