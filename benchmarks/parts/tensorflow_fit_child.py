"""TensorFlow's Keras 2.15 `fit` under MirroredStrategy; runs with a Python that has TensorFlow and nothing of ours but this."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts import fit_program
from parts.child import answer

if __name__ == "__main__":
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    answer(fit_program.of_fit(tf, strategy, sys.argv[1], int(sys.argv[2])))
