"""Stratagem's Estimator in a process of its own: arguments way, network."""

import sys

from parts.child import answer
from parts.estimator_program import WAYS

import stratagem.compat.v1 as tf1

if __name__ == "__main__":
    answer(WAYS[sys.argv[1]](tf1, sys.argv[2]))
