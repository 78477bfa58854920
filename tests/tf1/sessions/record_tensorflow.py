"""Records what TensorFlow 2.15.1 answers to `programs.py`: `python record_tensorflow.py`, in an environment with it.

With the argument `strings` it records those of `string_programs.py`. With the folder of a checkpoint that `adam_steps` of
this library has saved, it prints the weights with which TensorFlow goes on.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf  # type: ignore[import-not-found,import-untyped,unused-ignore]
from programs import PROGRAMS, adam_steps
from string_programs import STRING_PROGRAMS

ADAM = Path(__file__).with_name("tensorflow_adam")

if __name__ == "__main__":
    tf.compat.v1.disable_eager_execution()
    if sys.argv[1:] == ["strings"]:
        found = {f"{name}/{key}": v for name, run in STRING_PROGRAMS.items() for key, v in run(tf.compat.v1).items()}
        np.savez_compressed(Path(__file__).with_name("tensorflow_strings.npz"), **found)
        sys.exit()
    if len(sys.argv) > 1:
        print(adam_steps(tf.compat.v1, sys.argv[1], resumes=True).tolist())
        sys.exit()
    answers = {f"{name}/{key}": v for name, run in PROGRAMS.items() for key, v in run(tf.compat.v1).items()}
    np.savez_compressed(Path(__file__).with_name("tensorflow_answers.npz"), **answers)
    adam_steps(tf.compat.v1, str(ADAM), resumes=False)
    (ADAM / "model-5.meta").unlink()
    np.save(ADAM / "resumed.npy", adam_steps(tf.compat.v1, str(ADAM), resumes=True))
