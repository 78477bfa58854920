"""Stratagem's input pipeline in a process of its own: `python -m parts.stratagem_input_child PIPELINE`."""

import sys

from parts.child import answer
from parts.input_program import timer

import stratagem as tf

answer(timer(tf, sys.argv[1]))
