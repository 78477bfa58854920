"""A program that saves and is killed: started once, it forks a saver a command, so that a trial does not start Python anew.

python -m tests.checkpoints.saving         reads lines `directory pipe pause background format`, prints a fork's process id
pipe of a fork                            `saving N`, `saved N`, `failed ...`
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from stratagem._core.values import Variable
from stratagem.train import Checkpoint, CheckpointManager, CheckpointOptions

ARRAYS, SIDE, KEPT = 6, 100, 3
ROOT = Path(__file__).parents[2]


def values_at(step: int) -> list[np.ndarray]:
    """What the arrays hold at this step: numbers that no other step has, and that do not compress."""
    rng = np.random.default_rng(step)
    return [rng.normal(size=(SIDE, SIDE)) for _ in range(ARRAYS)]


def checkpoint() -> Checkpoint:
    """Objects to save or to restore."""
    return Checkpoint(step=Variable(np.int64(0)), arrays=[Variable(np.zeros((SIDE, SIDE))) for _ in range(ARRAYS)])


def set_to(objects: Checkpoint, step: int) -> None:
    """Give the objects the values of a step."""
    objects.step.assign(step)
    for variable, value in zip(objects.arrays, values_at(step), strict=True):
        variable.assign(value)


def step_of(objects: Checkpoint) -> int:
    """The step whose values the objects have. Raises AssertionError unless every one has exactly the right ones."""
    step = int(np.array(objects.step.value))
    for variable, value in zip(objects.arrays, values_at(step), strict=True):
        assert np.array_equal(np.array(variable.value), value), f"a wrong value at step {step}"
    return step


class Savers:
    """The program from outside."""

    def __init__(self) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.checkpoints.saving"],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", "JAX_PLATFORMS": "cpu"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self,
        directory: Path,
        pause: float = 0.0,
        *,
        background: bool = False,
        format: str = "stratagem",
        first: int = 1,
        pipe: Path | None = None,
    ) -> "Saver":
        """A process that saves to the directory again and again, from the step `first`, with a pause after each.

        background: it says that a step is saved once the next one is in the background. format: that of the checkpoints.
        """
        pipe = directory.with_name(f"{directory.name}.pipe") if pipe is None else pipe
        os.mkfifo(pipe)
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{directory}\t{pipe}\t{pause}\t{int(background)}\t{format}\t{first}\n")
        self._program.stdin.flush()
        pid = int(self._program.stdout.readline())
        return Saver(pid, open(pipe))

    def close(self) -> None:
        """End the program."""
        self._program.kill()
        self._program.communicate()


class Saver:
    """One process that saves."""

    def __init__(self, pid: int, lines: IO[str]) -> None:
        self.pid = pid
        self._lines = lines

    def wait_for(self, line: str) -> None:
        """Read until it says this."""
        for said in self._lines:
            if said == f"{line}\n":
                return
        raise AssertionError(f"it ended before it said {line!r}")

    def kill(self) -> list[str]:
        """SIGKILL; what it still had said."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, 9)
        with self._lines:
            return self._lines.read().splitlines()


def _save(directory: str, say: IO[str], pause: float, background: bool, format: str, first: int) -> None:
    objects, options = checkpoint(), CheckpointOptions(enable_async=background, format=format)
    manager = CheckpointManager(objects, directory, KEPT)
    for step in range(first, first + 1000):
        set_to(objects, step)
        print(f"saving {step}", file=say, flush=True)
        try:
            manager.save(step, options=options)
        except Exception as error:
            print(f"failed {type(error).__name__}: {error}", file=say, flush=True)
            return
        if step >= first + background:
            print(f"saved {step - background}", file=say, flush=True)
        time.sleep(pause)


def _commands() -> Iterator[tuple[str, str, float, bool, str, int]]:
    for line in sys.stdin:
        directory, pipe, pause, background, format, first = line.rstrip("\n").split("\t")
        yield directory, pipe, float(pause), bool(int(background)), format, int(first)


def main() -> None:
    """Fork a saver for every line of input. Nothing was computed before, so JAX has no threads yet."""
    for directory, pipe, *arguments in _commands():
        pid = os.fork()
        if pid == 0:
            with open(pipe, "w") as say:
                _save(directory, say, *arguments)
            os._exit(0)
        print(pid, flush=True)
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            time.sleep(0.01)


if __name__ == "__main__":
    main()
