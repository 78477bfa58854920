"""TensorFlow preparing images in a process of its own: `python -m parts.tensorflow_images_child FOLDER PIPELINE`."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts.child import answer
from parts.images_program import timer

answer(timer(tf, *sys.argv[1:]))
