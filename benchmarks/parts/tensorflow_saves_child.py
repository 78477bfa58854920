"""TensorFlow saving in a process of its own: `python -m parts.tensorflow_saves_child FOLDER save|restore MEGABYTES`."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts.child import answer
from parts.saves_program import of_tensorflow, timer

answer(timer(of_tensorflow(tf, int(sys.argv[3])), sys.argv[1], sys.argv[2]))
