"""The interface of a file format: it cuts records out of a piece of a file, and reports damage."""

import abc
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array

STRING = TensorSpec((), np.dtype(object))


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """The position where the next record of a file begins.

    record: its number, from 0. offset: its first byte in the decompressed contents of the file.
    """

    file: str
    record: int = 0
    offset: int = 0

    def on(self, records: int, size: int) -> "RecordPosition":
        """The position this many records and bytes later."""
        return RecordPosition(self.file, self.record + records, self.offset + size)

    def lost(self, what: str) -> DataLossError:
        """The error for damage that begins here."""
        return DataLossError(f"{what}: record {self.record} of {self.file}, at byte {self.offset}.")


@dataclass(frozen=True, slots=True)
class Damage:
    """The error at the end of the records of a `FoundRecords`.

    size: the bytes of the damaged record, if it can be skipped; None if nothing after it can be read.
    """

    error: Exception
    size: int | None = None


class FoundRecords(NamedTuple):
    """Records from the start of some bytes, the size of each, and damage after them.

    records: strings as one array, (n,), others in a list. needs: the size of the record after them, if it is known already.
    """

    records: Array | list[Any]
    sizes: list[int]
    damage: Damage | None = None
    needs: int = 0


class Format(abc.ABC):
    """The format of records in a file. Immutable."""

    @property
    def spec(self) -> Any:
        """The specs of a record; by default a scalar string."""
        return STRING

    @abc.abstractmethod
    def cut(self, data: bytes, place: RecordPosition, *, last: bool) -> FoundRecords:
        """The complete records at the start of `data`, which begins at `place` and is not empty.

        If there is neither a record nor damage, more data is needed. `last`: there is no more, so the rest is a record
        or damage.
        """

    def check(self, file: str, size: int) -> None:
        """Raises an error for an uncompressed file of `size` bytes that cannot be valid."""
        return


def joined_strings(values: list[bytes]) -> Array:
    """Converts to a read-only array of strings, (n,)."""
    block = np.empty(len(values), object)
    block[:] = values
    block.setflags(write=False)
    return block


def strings(values: list[bytes]) -> list[Array]:
    """Converts to read-only scalar string tensors; together they are one array, which is much cheaper than one each."""
    block = joined_strings(values)
    return [block[i, ...] for i in range(len(values))]
