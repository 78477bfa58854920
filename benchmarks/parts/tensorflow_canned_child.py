"""TensorFlow's canned Estimators; runs with a Python that has TensorFlow 2.15 and nothing of ours but this."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from parts.canned_program import timer
from parts.child import answer

if __name__ == "__main__":
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    answer(timer(tf, sys.argv[1]))
