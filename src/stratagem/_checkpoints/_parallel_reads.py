"""Reads parts of a file in parallel, in several threads, with a checksum of each."""

import itertools
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import google_crc32c
import numpy as np

from stratagem._checkpoints._safe_reads import OpenedFile

_STEP = 1 << 20  # bytes: what is read is then still in the processor's cache when it is summed up
_SMALL = 16 << 20  # bytes: reading less takes no longer than starting threads
_THREADS = 4  # a disk that was measured (docs/decisions.md) gives one reader half of what it gives four


@dataclass(frozen=True, eq=False)
class FilePart:
    """A part of a file. start: its place in the file. target: an array of bytes to read it into."""

    start: int
    target: np.ndarray


def read_parts(source: OpenedFile, parts: Sequence[FilePart]) -> list[int]:
    """Fills the targets of all parts; returns the CRC-32C of each. Raises the same errors as `OpenedFile.read_into`."""
    reading = _Reading(source, parts)
    large = sum(part.target.size for part in parts) > _SMALL
    helpers = min(_THREADS, len(parts), 2 * (os.cpu_count() or 1)) - 1 if large and source.concurrent else 0
    return reading.run(helpers)


@final
class _Reading:
    """The reading of the parts, of which every thread takes the next one."""

    def __init__(self, source: OpenedFile, parts: Sequence[FilePart]) -> None:
        self._source, self._parts = source, parts
        self._sums = [0] * len(parts)
        self._next = itertools.count()  # C code, so that each thread gets a number of its own
        self._error: BaseException | None = None

    def run(self, helpers: int) -> list[int]:
        """Reads in this thread and some helpers; returns the checksums."""
        started = []
        try:
            for _ in range(helpers):
                thread = threading.Thread(target=self._help, name="stratagem reads", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # Python ends, and starts no more threads
                    break
                started.append(thread)
            self._read()
        except BaseException as error:
            self._error = self._error or error
            raise
        finally:
            for thread in started:
                thread.join()
        if self._error is not None:
            raise self._error
        return self._sums

    def _help(self) -> None:
        try:
            self._read()
        except BaseException as error:  # of any kind: it is raised where the file was to be read
            self._error = self._error or error

    def _read(self) -> None:
        while self._error is None and (number := next(self._next)) < len(self._parts):
            part, crc = self._parts[number], 0
            for at in range(0, part.target.size, _STEP):
                if self._error is not None:
                    return
                chunk = part.target[at : at + _STEP]
                self._source.read_into(chunk, part.start + at)
                crc = google_crc32c.extend(crc, chunk)
            self._sums[number] = crc
