"""One of two processes that answer generated programs together.

Arguments: a file with a list of seeds and indices, and a file for this process' answers; {} in its name is the task's index.
"""

import json
import os
import sys
from pathlib import Path

import stratagem as tf
from tests.differential.generate import generate
from tests.differential.running import answer, make_strategy


def main() -> None:
    """Answer every program, then write all answers."""
    rank = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    programs = [generate(seed, index) for seed, index in json.loads(Path(sys.argv[1]).read_text())]
    strategy = make_strategy(tf, "two_processes")
    answers = [answer(tf, strategy, program) for program in programs]
    Path(sys.argv[2].format(rank)).write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
