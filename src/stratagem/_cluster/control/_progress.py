"""Where a task is: its step and its phase, in a few bytes of memory that it shares with its supervisor."""

import mmap
import os
import struct
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import final

from stratagem._base.files import atomic_write
from stratagem._base.job import Phase

_RECORD = struct.Struct("=qqd")  # step, phase, since (seconds of the system's monotonic clock)
_SUM = 4
_SIZE = _RECORD.size + _SUM
_LOOKS = 10


@final
@dataclass(frozen=True)
class Position:
    """Step and phase of a task, and since when (monotonic seconds) it is in that phase."""

    step: int
    phase: Phase
    since: float


@final
class Progress:
    """The shared bytes. One process writes, another reads. `position` is what was written or read last."""

    def __init__(self, handle: int) -> None:
        self._memory = mmap.mmap(handle, _SIZE)
        self.position = Position(0, Phase.STARTING, time.monotonic())

    @classmethod
    def create(cls, task: str, folder: str | None) -> tuple["Progress", int]:
        """A new one, and the handle to give to the reader. In a launcher's folder it is a file, for `position_in`."""
        if folder is None or not os.path.isdir(folder):  # the launcher has gone
            handle = os.memfd_create("stratagem progress")  # no file: a full or slow disk must not stop a step
            return cls._in(handle), handle
        with atomic_write(Path(folder, f"{task}.progress"), mode=0o600) as written:
            handle = os.open(written, os.O_RDWR | os.O_CLOEXEC)
            return cls._in(handle), handle

    @classmethod
    def _in(cls, handle: int) -> "Progress":
        os.ftruncate(handle, _SIZE)
        progress = cls(handle)
        progress.write(0, Phase.STARTING)
        return progress

    def write(self, step: int, phase: Phase) -> None:
        """Tell where this task is now."""
        self.position = Position(step, phase, time.monotonic())
        record = _RECORD.pack(step, phase, self.position.since)
        self._memory[:] = record + _sum(record)

    def read(self) -> Position:
        """Where the other process is. One that was killed or stopped while it wrote is where it was before."""
        for _ in range(_LOOKS):
            found = _position(self._memory[:])
            if found is not None:
                self.position = found
                break
        return self.position

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


def position_in(path: Path) -> Position | None:
    """Where the task is that made this file; None if it did not yet, or writes right now."""
    try:
        return _position(path.read_bytes())  # not mapped: a file that somebody cuts short would kill the reader
    except FileNotFoundError:
        return None


def _position(data: bytes) -> Position | None:
    record = data[: _RECORD.size]
    if len(data) != _SIZE or data[_RECORD.size :] != _sum(record):
        return None
    step, phase, since = _RECORD.unpack(record)
    return Position(step, Phase(phase), since)


def _sum(record: bytes) -> bytes:
    """Of a record. Zeros do not match their own: crc32 of them is another number."""
    return zlib.crc32(record).to_bytes(_SUM, "little")
