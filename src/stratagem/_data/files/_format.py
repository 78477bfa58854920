"""The contract of a file format: it cuts records out of a piece of a file, and says what is damaged."""

import abc
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._data.elements._nest import Array, Nest
from stratagem._data.elements._spec import TensorSpec

STRING = TensorSpec((), np.dtype(object))


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """Where the next record of a file begins.

    record: its number, from 0. offset: its first byte, in what the file holds once decompressed.
    """

    file: str
    record: int = 0
    offset: int = 0

    def on(self, records: int, size: int) -> "RecordPosition":
        """The place so many records and bytes later."""
        return RecordPosition(self.file, self.record + records, self.offset + size)

    def lost(self, what: str) -> DataLossError:
        """The error for damage that begins here."""
        return DataLossError(f"{what}: record {self.record} of {self.file}, at byte {self.offset}.")


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong where the records of a `FoundRecords` end.

    size: the bytes of the bad record, when it can be left out; None when nothing behind it can be read.
    """

    error: Exception
    size: int | None = None


class FoundRecords(NamedTuple):
    """Records from the start of some bytes, how many bytes each takes, and what is wrong behind them.

    needs: how many bytes the record behind them takes, where that is known already.
    """

    records: list[Nest]
    sizes: list[int]
    damage: Damage | None = None
    needs: int = 0


class Format(abc.ABC):
    """How records lie in a file. Immutable."""

    @property
    def spec(self) -> Nest:
        """The specs of a record; scalar strings where nothing else is said."""
        return STRING

    @abc.abstractmethod
    def cut(self, data: bytes, place: RecordPosition, *, last: bool) -> FoundRecords:
        """The whole records at the start of `data`, which begins at `place` and is not empty.

        No record and no damage asks for more data. `last`: there is none, so that what is left is a record or damage.
        """

    def check(self, file: str, size: int) -> None:
        """Raise an error for an uncompressed file of `size` bytes that cannot be read at all."""
        return


def strings(values: list[bytes]) -> list[Array]:
    """Read-only scalar string tensors; together they are one array, which is much cheaper than one each."""
    block = np.empty(len(values), object)
    block[:] = values
    block.setflags(write=False)
    return [block[i, ...] for i in range(len(values))]
