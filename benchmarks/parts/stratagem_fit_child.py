"""Stratagem's `fit`, or our own loop, in a process of its own: arguments way, network, steps per execution."""

import sys

from parts import fit_program
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    way, network, per_execution = sys.argv[1], sys.argv[2], int(sys.argv[3])
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    if way == "loop":
        answer(fit_program.of_loop(tf, strategy, network))
    answer(fit_program.of_fit(tf, strategy, network, per_execution))
