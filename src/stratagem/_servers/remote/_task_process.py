"""TaskProcess: what an actor's process takes over from that of its task: environment, folder, and where output goes."""

import codecs
import io
import itertools
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

_STREAMS = ("stdout", "stderr")  # of file descriptors 1 and 2
_NOT_TAKEN = ("RAY_",)  # an actor's process has its own
_PART = 2**16
_END_SECONDS = 3.0  # for what was printed last to arrive, once the actor has ended
_numbers = itertools.count()


@final
@dataclass(frozen=True)
class TaskProcess:
    """The process of a task, as its actor's process on the same machine sees it.

    environment: its variables. folder: its working directory, "" for the actor's own. pipes: named pipes to its standard
    output and error; none if Ray collects the output.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    pipes: tuple[str, ...] = ()

    def take_over(self) -> None:
        """Makes this process print to the task's process, with its variables and its folder."""
        os.environ.update(self.environment)
        if self.folder:
            os.chdir(self.folder)
        for number, (name, path) in enumerate(zip(_STREAMS, self.pipes, strict=False), 1):
            getattr(sys, name).flush()
            pipe = os.open(path, os.O_WRONLY)  # waits for the other process to open it
            os.dup2(pipe, number)
            os.close(pipe)
            binary = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
            setattr(sys, name, io.TextIOWrapper(binary, "utf-8", "backslashreplace", line_buffering=True))


@final
class ActorOutput:
    """Prints in this process what the process of its actor prints."""

    def __init__(self, folder: Path) -> None:
        """folder: where the named pipes are, until the actor has opened them; only this user may enter it."""
        number = f"{os.getpid()}-{next(_numbers)}"
        self._paths = [folder / f"{name}-{number}" for name in _STREAMS]
        for path in self._paths:
            os.mkfifo(path, 0o600)
        self._threads = [
            threading.Thread(target=_print, args=pair, name=f"output of the actor: {pair[1]}", daemon=True)
            for pair in zip(self._paths, _STREAMS, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def process(self) -> TaskProcess:
        """Returns this process, for its actor."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_TAKEN)}
        return TaskProcess(environment, str(Path.cwd()), tuple(map(str, self._paths)))

    def wait(self) -> None:
        """Waits a moment until all is printed, once the actor has ended."""
        end = time.monotonic() + _END_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))


def _print(path: Path, name: str) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    pipe = os.open(path, os.O_RDONLY)  # waits for the actor
    path.unlink(missing_ok=True)
    try:
        while part := os.read(pipe, _PART):
            stream = getattr(sys, name)  # looked up each time: programs replace it
            stream.write(decoder.decode(part))
            stream.flush()
    finally:
        os.close(pipe)
