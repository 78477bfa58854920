"""Where a task is: its step and its phase, in a few bytes of memory that it shares with its supervisor."""

import mmap
import os
import struct
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

from stratagem._job import Phase

_RECORD = struct.Struct("=qqqd")  # writes begun, step, phase, since (seconds of the system's monotonic clock)
_SIZE = _RECORD.size + 8  # and the number of writes ended


@final
@dataclass(frozen=True)
class Position:
    """Step and phase of a task, and since when (monotonic seconds) it is in that phase."""

    step: int
    phase: Phase
    since: float


@final
class Progress:
    """The shared bytes. One process writes, another reads; a reader that meets a half-written record tries again."""

    def __init__(self, handle: int) -> None:
        self._memory = mmap.mmap(handle, _SIZE)
        self._writes = 0
        self.position = Position(0, Phase.STARTING, time.monotonic())

    @classmethod
    def create(cls, task: str, folder: str | None) -> tuple["Progress", int]:
        """A new one, and the handle to give to the reader. In a launcher's folder it is a file, for `position_in`."""
        handle, path = tempfile.mkstemp(dir=folder)
        os.ftruncate(handle, _SIZE)
        progress = cls(handle)
        progress.write(0, Phase.STARTING)
        if folder is None:
            os.unlink(path)
        else:
            os.rename(path, Path(folder, f"{task}.progress"))
        return progress, handle

    def write(self, step: int, phase: Phase) -> None:
        """Tell where this task is now."""
        now = time.monotonic()
        self.position = Position(step, phase, now)
        self._writes += 1
        _RECORD.pack_into(self._memory, 0, self._writes, step, phase, now)
        struct.pack_into("=q", self._memory, _RECORD.size, self._writes)

    def read(self) -> Position:
        """Where the other process is."""
        while True:
            (ended,) = struct.unpack_from("=q", self._memory, _RECORD.size)
            begun, step, phase, since = _RECORD.unpack_from(self._memory, 0)
            if begun == ended:
                return Position(step, Phase(phase), since)
            time.sleep(0.001)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


def position_in(path: Path) -> Position | None:
    """Where the task is that made this file; None if it did not yet, or writes right now."""
    try:
        data = path.read_bytes()  # not mapped: a file that somebody cuts short would kill the reader
    except FileNotFoundError:
        return None
    if len(data) != _SIZE:
        return None
    begun, step, phase, since = _RECORD.unpack_from(data)
    (ended,) = struct.unpack_from("=q", data, _RECORD.size)
    return Position(step, Phase(phase), since) if begun == ended else None
