"""Launchers as real processes, and everything that they start, found by a mark in its environment."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

import psutil

from tests.multi_worker.jobs import MARK, Running

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE = 240.0  # seconds for a job of tiny programs, on a loaded machine
_MAIN = "from stratagem.cli import main; main()"


@final
@dataclass(frozen=True)
class Done:
    """How a launcher ended: its exit code, stdout and stderr."""

    code: int
    out: str
    told: str

    @property
    def whole(self) -> str:
        """All of it, as the message of an assertion, where pytest would cut other objects short."""
        return f"exit code {self.code}\n{self.out}\n{self.told}"


@final
class Launcher:
    """A launcher that runs. `folder` is its TMPDIR, and has its output."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, mark: str) -> None:
        self.process = process
        self.folder = folder
        self._everything = Running([process], folder, mark).everything

    @property
    def out(self) -> str:
        """What is on stdout so far."""
        return (self.folder / "out").read_text(errors="replace")

    @property
    def told(self) -> str:
        """What is on stderr so far."""
        return (self.folder / "err").read_text(errors="replace")

    def wait_for(self, text: str, times: int = 1) -> None:
        """Until stdout or stderr has this text so often."""
        end = time.monotonic() + PATIENCE
        while (self.out + self.told).count(text) < times:
            assert self.process.poll() is None, self.out + self.told
            assert time.monotonic() < end, self.out + self.told
            time.sleep(0.02)

    def done(self, patience: float = PATIENCE) -> Done:
        """Its end."""
        return Done(self.process.wait(patience), self.out, self.told)

    def others(self) -> list[psutil.Process]:
        """Every process of the job that still runs, but the launcher."""
        return [process for process in self._everything() if process.pid != self.process.pid]

    def child(self, part: str) -> psutil.Process:
        """The one process whose command line has this part."""
        (found,) = [process for process in self.others() if part in " ".join(process.cmdline())]
        return found

    def wait_until_gone(self, seconds: float) -> None:
        """Until nothing of the job is left."""
        end = time.monotonic() + seconds
        while left := self.others():
            assert time.monotonic() < end, [process.cmdline() for process in left]
            time.sleep(0.05)


@contextlib.contextmanager
def launcher(*arguments: object, cwd: Path | None = None, pipe: bool = False, **variables: str) -> Iterator[Launcher]:
    """`stratagem launch` with these arguments; whatever of it is left in the end fails the test, and is killed.

    pipe: its stdout goes to the test.
    """
    mark = uuid.uuid4().hex
    root = str(Path(__file__).parents[2] / "src")
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **{k: v for k, v in os.environ.items() if k not in ("PJRT_NPROC", "TF_CONFIG")},
            "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])),
            "XDG_CONFIG_HOME": folder,
            "TMPDIR": folder,
            MARK: mark,
            **variables,
        }
        command = [sys.executable, "-c", _MAIN, "launch", *map(str, arguments)]
        with Path(folder, "out").open("wb") as out, Path(folder, "err").open("wb") as err:
            stdout = subprocess.PIPE if pipe else out
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=err, cwd=cwd
            )
        started = Launcher(process, Path(folder), mark)
        try:
            yield started
            process.wait(PATIENCE)
            started.wait_until_gone(PATIENCE)
        finally:
            for one in (*started.others(), process):
                with contextlib.suppress(psutil.Error, ProcessLookupError):
                    one.kill()
            process.wait()


def launch(*arguments: object, patience: float = PATIENCE, cwd: Path | None = None, **variables: str) -> Done:
    """The same, run to its end."""
    with launcher(*arguments, cwd=cwd, **variables) as started:
        return started.done(patience)
