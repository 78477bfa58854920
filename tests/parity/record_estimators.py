"""Records what TensorFlow 2.15.1 makes of the Estimators of `estimators.py` (see record_tensorflow.py for the environment).

    /tmp/tensorflow/bin/python -m tests.parity.record_estimators

It rewrites estimators.npz, and digits.npz where that is missing, from the MNIST files that scripts/fetch_data.py fetches.
"""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.parity.estimators import CASES, DIGITS, trained

RECORDED = Path(__file__).parent / "recorded"


def digits() -> tuple[np.ndarray, np.ndarray]:
    """The first digits of MNIST's training set: uint8 pictures of 28 x 28, and labels."""
    kept = RECORDED / "digits.npz"
    if not kept.exists():
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = Path(os.environ.get("STRATAGEM_DATA") or cache / "stratagem" / "datasets") / "mnist"
        images = gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes())[16:]
        labels = gzip.decompress((folder / "train-labels-idx1-ubyte.gz").read_bytes())[8:]
        pixels = np.frombuffer(images, np.uint8).reshape(-1, 28, 28)[:DIGITS]
        np.savez_compressed(kept, images=pixels, labels=np.frombuffer(labels, np.uint8)[:DIGITS])
    found = np.load(kept)
    return found["images"], found["labels"]


def main() -> None:
    """Record every case."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    images, labels = digits()
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)
    two = tf.compat.v1.ConfigProto(device_count={"CPU": 2})
    arrays: dict[str, np.ndarray] = {}
    for case in CASES:
        found = trained(case, tf, tf.compat.v1, "tensorflow", images, labels, ("CPU:0", "CPU:1"), session_config=two)
        arrays[f"{case}/losses"] = np.array(found["losses"])
        arrays[f"{case}/evaluation"] = np.array(json.dumps(found["evaluation"]))
        arrays[f"{case}/checkpoints"] = np.array(found["checkpoints"])
        arrays |= {f"{case}/variables/{name}": value for name, value in found["variables"].items()}
        if "predictions" in found:
            arrays[f"{case}/predictions"] = found["predictions"]
        print(case, found["losses"], found["evaluation"], found["checkpoints"], sorted(found["variables"]), flush=True)
    np.savez_compressed(RECORDED / "estimators.npz", **arrays)


if __name__ == "__main__":
    main()
