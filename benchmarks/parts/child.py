"""A contender in a process of its own, with another Python or other devices, that runs steps when it is asked to."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parts.paired import Timer

HERE = Path(__file__).parents[1]


@contextmanager
def child(module: str, *arguments: str, python: str = sys.executable) -> Iterator[Timer]:
    """Start `python -m module arguments`, yield its timer, and end it. It does nothing while others are timed."""
    with subprocess.Popen(
        [python, "-m", module, *arguments], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def run(steps: int) -> float:
            print(steps, file=process.stdin, flush=True)
            answer = process.stdout.readline()
            if not answer:
                raise RuntimeError(f"{module} ended; what it printed is above")
            return json.loads(answer)

        try:
            yield run
        finally:
            process.stdin.close()  # it ends when there is nothing more to read


def answer(timer: Timer) -> None:
    """The child's side: time as many steps as each line of the standard input says."""
    for line in sys.stdin:
        print(json.dumps(timer(int(line))), flush=True)
