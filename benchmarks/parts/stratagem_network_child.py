"""Stratagem's step of a network of `parts.networks`, which the argument names."""

import sys

from parts import network_program
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    timer, facts = network_program.contender(tf, sys.argv[1])
    answer(timer, lambda: facts)
