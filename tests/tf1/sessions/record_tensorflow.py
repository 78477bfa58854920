"""Records what TensorFlow 2.15.1 answers to `programs.py`: `python record_tensorflow.py`, in an environment with it."""

from pathlib import Path

import numpy as np
import tensorflow as tf  # type: ignore[import-not-found,import-untyped,unused-ignore]
from programs import PROGRAMS

if __name__ == "__main__":
    tf.compat.v1.disable_eager_execution()
    answers = {f"{name}/{key}": v for name, run in PROGRAMS.items() for key, v in run(tf.compat.v1).items()}
    np.savez_compressed(Path(__file__).with_name("tensorflow_answers.npz"), **answers)
