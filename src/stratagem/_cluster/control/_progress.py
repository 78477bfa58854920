"""SharedProgress: the step and phase of a task, in a few bytes of memory that it shares with its supervisor."""

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
_ATTEMPTS = 10


@final
@dataclass(frozen=True)
class Position:
    """Step and phase of a task. since: when it entered the phase, in monotonic seconds."""

    step: int
    phase: Phase
    since: float


@final
class SharedProgress:
    """The shared bytes, which one process writes and another reads. position: what was written or read last."""

    def __init__(self, handle: int) -> None:
        self._memory = mmap.mmap(handle, _SIZE)
        self.position = Position(0, Phase.STARTING, time.monotonic())

    @classmethod
    def create(cls, task: str, folder: str | None) -> tuple["SharedProgress", int]:
        """Returns a new one, and the handle for the reader. In a launcher's folder it is a file, for `position_in`."""
        if folder is None or not os.path.isdir(folder):  # no launcher, or it has ended
            handle = os.memfd_create("stratagem progress")  # no file, for a full or slow disk must not stop a step
            return cls._in(handle), handle
        with atomic_write(Path(folder, f"{task}.progress"), mode=0o600) as written:
            handle = os.open(written, os.O_RDWR | os.O_CLOEXEC)
            return cls._in(handle), handle

    @classmethod
    def _in(cls, handle: int) -> "SharedProgress":
        os.ftruncate(handle, _SIZE)
        progress = cls(handle)
        progress.write(0, Phase.STARTING)
        return progress

    def write(self, step: int, phase: Phase) -> None:
        """Sets the present step and phase."""
        self.position = Position(step, phase, time.monotonic())
        record = _RECORD.pack(step, phase, self.position.since)
        self._memory[:] = record + _sum(record)

    def read(self) -> Position:
        """Returns the position of the other process; the last valid one if that was killed or stopped while it wrote."""
        for _ in range(_ATTEMPTS):
            found = _position(self._memory[:])
            if found is not None:
                self.position = found
                break
        return self.position

    def close(self) -> None:
        """Frees the memory."""
        self._memory.close()


def position_in(path: Path) -> Position | None:
    """Returns the position of the task that writes this file; None if it has not yet written, or writes right now."""
    try:
        return _position(path.read_bytes())  # not mapped: if the file were truncated, that would kill the reader
    except FileNotFoundError:
        return None


def _position(data: bytes) -> Position | None:
    record = data[: _RECORD.size]
    if len(data) != _SIZE or data[_RECORD.size :] != _sum(record):
        return None
    step, phase, since = _RECORD.unpack(record)
    return Position(step, Phase(phase), since)


def _sum(record: bytes) -> bytes:
    """Returns the checksum of a record. That of zeros is not zero, so a file of zeros is invalid."""
    return zlib.crc32(record).to_bytes(_SUM, "little")
