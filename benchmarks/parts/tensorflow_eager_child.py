"""TensorFlow's eager step of the network that the argument names; runs with a Python that has TensorFlow 2.15 and NumPy."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts import eager_step
from parts.child import answer

if __name__ == "__main__":
    answer(eager_step.timer(tf, sys.argv[1]))
