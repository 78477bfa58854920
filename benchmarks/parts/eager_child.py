"""Stratagem's eager step of the network that the argument names, in a process of its own."""

import sys

from parts import eager_step
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    answer(eager_step.timer(tf, sys.argv[1]))
