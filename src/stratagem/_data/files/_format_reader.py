"""FileRecordReader: reads the records of one file, in large pieces that its format divides."""

import itertools
from typing import Any, final

import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._base.storage import FileStatus, file_system
from stratagem._data.elements._nest import Array, stacked
from stratagem._data.files._bytes import ByteReader, open_bytes, open_errors
from stratagem._data.files._format import Damage, Format, RecordPosition
from stratagem._data.stages._order import State


@final
class FileRecordReader:
    """The records of one file from a position on. The file is opened when the first one is requested.

    An error is raised in place of its record; the next record is the first one that can be read after it, if any.
    """

    def __init__(
        self, format: Format, compression: str, piece: int, place: RecordPosition, *, lost: bool = False
    ) -> None:
        self._format = format
        self._compression = compression
        self._piece = piece
        self._bytes: ByteReader | None = None
        self._data = b""  # the data from `_place` on; the records that were cut out of it are at its start
        self._place = place
        self._records: Array | list[Any] = []
        self._ends = [0]
        self._next = 0
        self._damage: Damage | None = None
        self._needs = 0
        self._lost = lost

    def read(self) -> Any:
        """The next record. Raises StopIteration at the end."""
        if self._next == len(self._records):
            self._fill()
        self._next += 1
        records = self._records
        return records[self._next - 1, ...] if isinstance(records, np.ndarray) else records[self._next - 1]

    def read_stacked(self, most: int) -> tuple[int, Any]:
        """The next records of the present piece of the file, at most so many, stacked, after their number. Raises as `read`."""
        if self._next == len(self._records):
            self._fill()
        part = self._records[self._next : self._next + most]
        self._next += len(part)
        return len(part), part.copy() if isinstance(part, np.ndarray) else stacked(part)

    def get_state(self) -> State:
        """The file, the next record's number and the byte at which it begins, and whether reading has failed."""
        place = self._place.on(self._next, self._ends[self._next])
        return {"file": place.file, "record": place.record, "offset": place.offset, "lost": self._lost}

    def close(self) -> None:
        """Closes the file."""
        if self._bytes is not None:
            self._bytes.close()

    def _fill(self) -> None:
        """Moves on to the next piece that has records."""
        if self._lost:
            raise StopIteration
        self._skip(len(self._records), self._ends[-1])
        if self._damage is not None:
            self._raise(self._damage)
        if self._data and self._cut(last=False):
            return
        while fresh := self._read_on():
            self._data += fresh
            if self._cut(last=False):
                return
        if not (self._data and self._cut(last=True)):
            raise StopIteration

    def _skip(self, records: int, size: int) -> None:
        self._place = self._place.on(records, size)
        self._data = self._data[size:]
        self._records, self._ends, self._next = [], [0], 0

    def _cut(self, *, last: bool) -> bool:
        """Cuts records out of the data; returns False if more of it is needed."""
        self._records, sizes, self._damage, self._needs = self._format.cut(self._data, self._place, last=last)
        self._ends = list(itertools.accumulate(sizes, initial=0))
        if self._damage is not None and not len(self._records):
            self._raise(self._damage)
        return len(self._records) > 0

    def _raise(self, damage: Damage) -> None:
        self._damage = None
        self._lost = damage.size is None
        self._skip(1, damage.size or 0)
        raise damage.error

    def _read_on(self) -> bytes:
        try:
            if self._bytes is None:
                if not self._compression and (status := _status(self._place.file)) is not None:
                    self._format.check(self._place.file, status.size)
                self._bytes = open_bytes(self._place.file, self._compression, self._place.offset)
            left = self._bytes.left if self._needs > self._piece else None
            if left is not None and len(self._data) + left < self._needs:
                return b""  # a record cannot be longer than its file: do not read on for an impossible length
            # Read at least as much as there is already, so that long records are not copied piece by piece.
            return self._bytes.read(max(self._piece, len(self._data)))
        except DataLossError as error:
            self._lost = True
            raise self._place.lost(str(error)) from error
        except Exception:  # any other error: pass it on, and read no more of this file
            self._lost = True
            raise


def _status(file: str) -> FileStatus | None:
    """Facts about a file; None without one."""
    with open_errors(file):
        found = file_system(file).status(file)
    return None if found is None or found.is_directory else found
