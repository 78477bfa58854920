"""Stratagem preparing images in a process of its own: `python -m parts.stratagem_images_child FOLDER PIPELINE`."""

import sys

from parts.child import answer
from parts.images_program import timer

import stratagem as tf

answer(timer(tf, *sys.argv[1:]))
