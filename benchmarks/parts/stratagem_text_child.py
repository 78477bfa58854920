"""Stratagem's layers of strings in a process of its own: `python -m parts.stratagem_text_child LAYER`."""

import sys

from parts.child import answer
from parts.text_program import timer

import stratagem as tf

answer(timer(tf, *sys.argv[1:]))
