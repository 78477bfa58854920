"""Records TPUEstimators of TensorFlow 2.15.1 without TPUs: run it with a Python that has TensorFlow.

python -m tests.tf1.tpu.record_tensorflow [case...]
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.tf1.recorder import Arrays, below, checkpoint, record
from tests.tf1.tpu.programs import CASES, outcome


def recorded(name: str, folder: Path) -> Arrays:
    """The checkpoint before the first step, and the outcome."""
    found = outcome(tf, tf.compat.v1, name, str(folder / "model"))
    others = {key: found[key] for key in ("evaluation", "predictions")}
    return {
        **below("first", checkpoint(folder / "model" / "model.ckpt-0")),
        **below("variables", found["variables"]),
        "others": np.array(json.dumps(others)),
    }


if __name__ == "__main__":
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    record(Path(__file__).parent / "recorded" / "tensorflow.npz", recorded, sys.argv[1:] or CASES)
