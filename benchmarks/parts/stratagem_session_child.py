"""Sessions of Stratagem in a process of its own: argument network."""

import sys

from parts.child import answer
from parts.session_program import WAYS

import stratagem.compat.v1 as tf1

if __name__ == "__main__":
    tf1.disable_eager_execution()
    answer(WAYS[sys.argv[1]](tf1))
