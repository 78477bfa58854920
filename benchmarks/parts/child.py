"""A contender in a process of its own, with another Python or other devices, that runs steps when it is asked to."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
            try:
                print(steps, file=process.stdin, flush=True)
                return json.loads(process.stdout.readline())
            except (BrokenPipeError, json.JSONDecodeError):
                raise SystemExit(f"{python} -m {module} ended too early; what it said is above") from None

        try:
            yield run
        finally:
            with suppress(BrokenPipeError):
                process.stdin.close()  # it ends when there is nothing more to read


def answer(timer: Timer) -> None:
    """The child's side: time as many steps as each line of the standard input says."""
    for line in sys.stdin:
        print(json.dumps(timer(int(line))), flush=True)
