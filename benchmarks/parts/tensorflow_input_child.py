"""TensorFlow's input pipeline in a process of its own: `python -m parts.tensorflow_input_child PIPELINE`."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts.child import answer
from parts.input_program import timer

answer(timer(tf, sys.argv[1]))
