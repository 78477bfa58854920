"""A contender in a process of its own, with another Python or other devices, that runs steps when it is asked to."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from parts.paired import Timer

HERE = Path(__file__).parents[1]


@contextmanager
def child(module: str, *arguments: str, python: str = sys.executable) -> Iterator[Timer]:
    """Start `python -m module arguments`, yield its timer, and end it. It does nothing while others are timed."""
    with children(module, *arguments, python=python, environments=[{}]) as timer:
        yield timer


@contextmanager
def children(
    module: str, *arguments: str, environments: Sequence[Mapping[str, str]], python: str = sys.executable
) -> Iterator[Timer]:
    """The same for processes that take their steps together: one for each of `environments`; the slowest one's time counts."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [python, "-m", module, *arguments],
                    cwd=HERE,
                    env=os.environ | environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for environment in environments
        ]

        def run(steps: int) -> float:
            try:
                for process in processes:
                    print(steps, file=process.stdin, flush=True)
                return max(_answered(process) for process in processes)
            except (BrokenPipeError, json.JSONDecodeError):
                raise SystemExit(f"{python} -m {module} ended too early; what it said is above") from None

        try:
            yield run
        finally:
            for process in processes:
                with suppress(BrokenPipeError):
                    process.stdin.close()  # it ends when there is nothing more to read
            for process in processes:
                if code := process.wait():
                    print(f"{python} -m {module} ended with exit code {code}", file=sys.stderr)


def _answered(process: subprocess.Popen[str]) -> float:
    """The next number that a child prints; gloo prints about itself as well."""
    line = process.stdout.readline()
    while line.startswith("[Gloo]"):
        line = process.stdout.readline()
    return json.loads(line)


def answer(timer: Timer) -> None:
    """The child's side: time as many steps as each line of the standard input says."""
    for line in sys.stdin:
        print(json.dumps(timer(int(line))), flush=True)
