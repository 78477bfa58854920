"""One of two processes that run generated control-flow programs together, each on inputs of its own.

Arguments: a file with the programs' numbers, a file for this process' answers ({} in its name is the task's index), and how
many numbers of an input each process gets.
"""

import json
import os
import sys
from pathlib import Path

import stratagem as tf
from tests.autograph.generate import generate
from tests.autograph.running import loaded, new_state, numbers, plain, rotated


def main() -> None:
    """Run every program on every input, then write all results, and the states, which are sums over both processes."""
    rank = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    lengths = json.loads(sys.argv[3])
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    found = []
    for index in json.loads(Path(sys.argv[1]).read_text()):
        with strategy.scope():
            state = new_state(tf)
        function = loaded(tf, generate(index), state)
        results = []
        for x, n in rotated(rank, lengths[rank]):
            args = [
                strategy.experimental_distribute_values_from_function(lambda _, value=value: tf.constant(value))
                for value in (x, n)
            ]
            results.append(plain(strategy.experimental_local_results(strategy.run(function, args))[0]))
        found.append([results, numbers(state)])
    Path(sys.argv[2].format(rank)).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
