"""TensorFlow's sessions; runs with a Python that has TensorFlow 2.15 and nothing of ours but this."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow.compat.v1 as tf1
from parts.child import answer
from parts.session_program import WAYS

if __name__ == "__main__":
    tf1.logging.set_verbosity(tf1.logging.ERROR)
    tf1.disable_eager_execution()
    answer(WAYS[sys.argv[1]](tf1))
