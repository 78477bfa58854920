"""Record what tf.keras 2.15 on TensorFlow 2.15.1 trains with two replicas, for `test_against_tensorflow.py`.

Run by hand, in an environment of its own (the tests need neither it nor TensorFlow), from the root of the repository:

    python3.11 -m venv /tmp/tensorflow
    /tmp/tensorflow/bin/pip install tensorflow-cpu==2.15.1
    /tmp/tensorflow/bin/python -m tests.training.record_tensorflow

It rewrites tests/training/recorded/fits.json.
"""

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parent / "recorded" / "fits.json"


def recorded(name: str) -> Any:
    """One training, or with an empty name what `fits.epoch_ends` gives."""
    import tensorflow as tf  # in the process of its own: TensorFlow's collectives fail when two strategies share one

    from tests.training.fits import FITS, epoch_ends

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    tf.keras.backend.set_floatx("float64" if name else "float32")
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        return FITS[name](tf) if name else epoch_ends(tf)


def alone(name: str) -> Any:
    """`recorded` in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(recorded, name).result()


def main() -> None:
    """Record everything."""
    from tests.training.fits import FITS

    found = {"tensorflow": "2.15.1", "fits": {name: alone(name) for name in FITS}, "epoch ends": alone("")}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
