"""A contender in a process of its own, with another Python or other devices, that runs steps when it is asked to."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parts.paired import Timer

HERE = Path(__file__).parents[1]


@contextmanager
def child(module: str, *arguments: str, python: str = sys.executable) -> Iterator["Processes"]:
    """Start `python -m module arguments`, yield its timer, and end it. It does nothing while others are timed."""
    with children(module, *arguments, python=python, environments=[{}]) as timer:
        yield timer


@contextmanager
def children(
    module: str, *arguments: str, environments: Sequence[Mapping[str, str]], python: str = sys.executable
) -> Iterator["Processes"]:
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

        try:
            yield Processes(processes, f"{python} -m {module}")
        finally:
            for process in processes:
                with suppress(BrokenPipeError):
                    process.stdin.close()  # it ends when there is nothing more to read
            for process in processes:
                if code := process.wait():
                    print(f"{python} -m {module} ended with exit code {code}", file=sys.stderr)


@dataclass(frozen=True)
class Processes:
    """Processes that answer together. They are called as a timer is."""

    processes: Sequence[subprocess.Popen[str]]
    command: str

    def __call__(self, steps: int) -> float:
        return max(self._asked(str(steps)))

    def facts(self) -> dict[str, float]:
        """What the first process knows about its program, if that was given to `answer`: ask it before the first step."""
        return self._asked("facts")[0]

    def _asked(self, question: str) -> list[Any]:
        try:
            for process in self.processes:
                print(question, file=process.stdin, flush=True)
            return [_answered(process) for process in self.processes]
        except (BrokenPipeError, json.JSONDecodeError):
            raise SystemExit(f"{self.command} ended too early; what it said is above") from None


def _answered(process: subprocess.Popen[str]) -> Any:
    """The next number, or facts, that a child prints; gloo prints about itself as well."""
    line = process.stdout.readline()
    while line.startswith("[Gloo]"):
        line = process.stdout.readline()
    return json.loads(line)


def answer(timer: Timer, facts: Callable[[], dict[str, float]] | None = None) -> None:
    """The child's side: time as many steps as each line of the standard input says, or say the facts."""
    for line in sys.stdin:
        print(json.dumps(facts() if facts and line.strip() == "facts" else timer(int(line))), flush=True)
