"""Seals: texts of one length in files of models, with a checksum of the bytes before or after them."""

import os
from dataclasses import dataclass
from typing import Any, Final, final

import google_crc32c

from stratagem._base.errors import DataLossError

_CHUNK: Final = 1 << 22  # bytes
_MOST_DAMAGED: Final = 2  # bytes of a seal that may be others, so that it still counts as one


@final
@dataclass(frozen=True)
class Seal:
    """A kind of seal.

    text: with a place such as %08x for each number. digits: how many hexadecimal digits each number has.
    """

    text: bytes
    digits: tuple[int, ...] = (8,)

    @property
    def length(self) -> int:
        """The number of bytes of such a seal."""
        return len(self.of(*(0 for _ in self.digits)))

    def of(self, *numbers: int) -> bytes:
        """Returns the seal with these numbers."""
        return self.text % numbers

    def is_one(self, found: bytes) -> bool:
        """Returns whether these bytes were a seal before up to two of them were damaged, be its numbers what they may."""
        low = self.of(*(0 for _ in self.digits))
        high = self.of(*(16**count - 1 for count in self.digits))
        if len(found) != len(low):
            return False
        others = sum(a == b != c for a, b, c in zip(low, high, found, strict=True))
        return others <= _MOST_DAMAGED


def checksum(file: Any, size: int) -> int:
    """Returns the checksum of the first bytes of an open file, which is left at their end."""
    file.seek(0)
    crc, left = 0, size
    while left and (chunk := file.read(min(left, _CHUNK))):
        crc, left = google_crc32c.extend(crc, chunk), left - len(chunk)
    return crc


def last_bytes(file: Any, count: int) -> bytes:
    """Returns the last bytes of an open file, at most so many."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - count))
    found: bytes = file.read()
    return found


def damaged(path: str) -> DataLossError:
    """Returns the error for a file that has another checksum than its seal."""
    return DataLossError(f"{path!r} is damaged: its checksum is another than when it was written.")
