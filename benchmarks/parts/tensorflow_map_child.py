"""TensorFlow's `map` in a process of its own: `python -m parts.tensorflow_map_child FUNCTION`."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts.child import answer
from parts.map_program import timer

answer(timer(tf, sys.argv[1]))
