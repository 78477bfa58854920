"""TensorFlow's SavedModels in a process of its own: `python -m parts.tensorflow_exports_child TASK`."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts.child import answer
from parts.exports_program import timer

answer(timer(tf, sys.argv[1]))
