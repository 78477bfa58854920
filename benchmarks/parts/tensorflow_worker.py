"""One worker of TensorFlow's job; runs with a Python that has TensorFlow 2.15 and NumPy. Argument: rows a worker."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts import distributed
from parts.child import answer

if __name__ == "__main__":
    answer(distributed.timer(tf, tf.distribute.MultiWorkerMirroredStrategy(), int(sys.argv[1])))
