"""TensorFlow's step; runs with a Python that has TensorFlow 2.15 and NumPy, and nothing of ours but this folder."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts import distributed
from parts.child import answer

if __name__ == "__main__":
    answer(distributed.timer(tf, tf.distribute.MirroredStrategy(["CPU:0"])))
