"""Stratagem reading records in a process of its own: `python -m parts.stratagem_records_child FOLDER PIPELINE`."""

import sys

from parts.child import answer
from parts.records_program import timer

import stratagem as tf

answer(timer(tf, *sys.argv[1:]))
