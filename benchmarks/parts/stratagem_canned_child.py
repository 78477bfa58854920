"""Stratagem's canned Estimators in a process of their own: argument model."""

import sys

from parts.canned_program import timer
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    answer(timer(tf, sys.argv[1]))
