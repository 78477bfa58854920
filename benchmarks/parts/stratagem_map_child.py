"""Stratagem's `map` in a process of its own: `python -m parts.stratagem_map_child FUNCTION WAY`."""

import sys

from parts.child import answer
from parts.map_program import timer

import stratagem as tf

answer(timer(tf, *sys.argv[1:]))
