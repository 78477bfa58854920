"""The stage that reads the records of files: the files one after another, or several of them in turn."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, final

import numpy as np

from stratagem._base.errors import NotFoundError, OpError
from stratagem._base.storage import checked_path
from stratagem._data.elements._nest import map_leaves
from stratagem._data.files._format import Format, RecordPosition
from stratagem._data.files._format_reader import FileRecordReader
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._file_names import FileNames, names_in
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage

_PIECE = 1 << 18
T = TypeVar("T")


@final
class ReadFiles(UnaryStage):
    """The records of the files whose names the parent gives.

    cycle: how many files are open at once; they give a record each in turn. A file that ends is replaced by the next
    one when it would have its turn again, as with `interleave`.
    """

    def __init__(self, names: Stage, format: Format, *, compression: str, piece: int | None, cycle: int) -> None:
        super().__init__(names)
        self._format = format
        self._compression = compression
        self._piece = piece or _PIECE
        self._cycle = cycle

    @property
    def spec(self) -> Any:
        return self._format.spec

    @property
    def cardinality(self) -> int:
        return 0 if self._parent.cardinality == 0 else UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def cheap(self) -> bool:
        return False

    @property
    def reads_files(self) -> bool:
        return True

    def open(self, state: State) -> FileRecordReader:
        """Opens the file of a state of a `FileRecordReader`, at the record of that state."""
        place = RecordPosition(state["file"], state["record"], state["offset"])
        return FileRecordReader(self._format, self._compression, self._piece, place, lost=state["lost"])

    def walk(self) -> StageIterator:
        return _ReadIterator(self, self._parent.walk(), self._cycle)

    def example(self) -> Any:
        parent = self._parent
        names = parent.files if isinstance(parent, FileNames) else names_in(parent.example())
        walk = _ReadIterator(self, FileNames(names).walk(), 1)
        # The first record may be damaged: any other one will do.
        error: OpError | None = None
        try:
            while True:
                try:
                    return next(walk)
                except OpError as found:
                    error = error or found
        except StopIteration:
            if error is not None:
                raise error from None
            raise
        finally:
            walk.close()


@final
class _ReadIterator(ParentIterator):
    def __init__(self, stage: ReadFiles, names: StageIterator, cycle: int) -> None:
        super().__init__(names)
        self._stage = stage
        self._open: list[FileRecordReader | None] = [None] * cycle
        self._slot = 0
        self._no_more_names = False
        self._count = 0

    def __next__(self) -> Any:
        return self._read(FileRecordReader.read)

    def next_batch(self, size: int, least: int) -> Any:
        if len(self._open) > 1:
            return super().next_batch(size, least)
        parts, left = [], size
        while left:
            try:
                count, part = self._read(functools.partial(FileRecordReader.read_stacked, most=left))
            except StopIteration:
                break
            self._count += count - 1
            left -= count
            parts.append(part)
        if size - left < least:
            raise StopIteration
        return parts[0] if len(parts) == 1 else map_leaves(lambda *arrays: np.concatenate(arrays), *parts)

    def _read(self, read: Callable[[FileRecordReader], T]) -> T:
        """Reads from the file whose turn it is, one record as far as turns are concerned. Raises StopIteration at the end."""
        while True:
            reading = self._open[self._slot]
            if reading is None:
                reading = self._next_file()
            if reading is not None:
                try:
                    found = read(reading)
                except StopIteration:
                    self._close(self._slot)
                except NotFoundError as error:
                    raise NotFoundError(f"{error} ({self._count} records of other files were read before)") from error
                else:
                    self._count += 1
                    self._next_slot()
                    return found
            elif not any(self._open):
                raise StopIteration
            self._next_slot()

    def _next_slot(self) -> None:
        self._slot = (self._slot + 1) % len(self._open)

    def _next_file(self) -> FileRecordReader | None:
        """Opens the next file in the current slot; None when there are no more files."""
        if self._no_more_names:
            return None
        try:
            name = next(self._source)
        except StopIteration:
            self._no_more_names = True
            return None
        self._open[self._slot] = reading = self._stage.open(_start_of(name))
        return reading

    def _close(self, slot: int) -> None:
        reading = self._open[slot]
        if reading is not None:
            reading.close()
        self._open[slot] = None

    def close(self) -> None:
        """Closes the files."""
        for slot in range(len(self._open)):
            self._close(slot)
        super().close()

    def _own_state(self) -> State:
        files = [None if reading is None else reading.get_state() for reading in self._open]
        return {"files": files, "turn": self._slot, "names_ended": self._no_more_names, "count": self._count}

    def _set_own_state(self, state: State) -> None:
        for slot in range(len(self._open)):
            self._close(slot)
        self._open = [None if saved is None else self._stage.open(saved) for saved in state["files"]]
        self._slot, self._no_more_names, self._count = state["turn"], state["names_ended"], state["count"]


def _start_of(name: Any) -> State:
    return {"file": checked_path(name), "record": 0, "offset": 0, "lost": False}
