"""Stratagem saving in a process of its own: `python -m parts.stratagem_saves_child FOLDER save|restore MEGABYTES`."""

import sys

from parts.child import answer
from parts.saves_program import timer

import stratagem as tf

answer(timer(tf, sys.argv[1], sys.argv[2], int(sys.argv[3])))
