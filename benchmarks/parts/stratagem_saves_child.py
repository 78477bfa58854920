"""Stratagem saving in a process of its own: `python -m parts.stratagem_saves_child FOLDER save|restore MEGABYTES`."""

import sys

from parts.child import answer
from parts.saves_program import of_tensorflow, timer

import stratagem as tf

answer(timer(of_tensorflow(tf, int(sys.argv[3])), sys.argv[1], sys.argv[2]))
