"""TensorFlow's step of a network of `parts.networks`; runs with a Python that has TensorFlow 2.15 and NumPy."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts import network_program
from parts.child import answer

if __name__ == "__main__":
    timer, facts = network_program.contender(tf, sys.argv[1])
    answer(timer, lambda: facts)
