"""Stratagem's SavedModels in a process of its own: `python -m parts.stratagem_exports_child TASK`."""

import sys

from parts.child import answer
from parts.exports_program import timer

import stratagem as tf

answer(timer(tf, *sys.argv[1:]))
