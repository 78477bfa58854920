"""Slices of tensors: parts that were saved one by one, their places, and their keys in the table.

A key is the tensor's name and its part's place in a code whose bytes sort as the numbers do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_WHOLE = -1  # the length that means a whole dimension


@dataclass(frozen=True)
class Part:
    """A box within a tensor: the start and the length of each dimension; a length of -1 is a whole dimension."""

    starts: tuple[int, ...]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, message: Any) -> "Part":
        """The box of a message Slice."""
        extents = list(message.extent)
        return cls(
            tuple(each.start for each in extents),
            tuple(each.length if each.HasField("length") else _WHOLE for each in extents),
        )

    def key(self, name: bytes) -> bytes:
        """The table's key of this part of the tensor `name`."""
        dimensions = (_signed(n) for pair in zip(self.starts, self.lengths, strict=True) for n in pair)
        return b"".join([_number(0), _text(name), _number(len(self.starts)), *dimensions])

    def within(self, shape: Sequence[int]) -> tuple[slice, ...]:
        """The slices of an array of this shape. Raises ValueError if they are not inside."""
        if len(self.starts) != len(shape):
            raise ValueError(f"a part has {len(self.starts)} dimensions, and its tensor {len(shape)}")
        slices = []
        for start, length, size in zip(self.starts, self.lengths, shape, strict=True):
            stop = size if length == _WHOLE else start + length
            if not 0 <= start <= stop <= size:
                raise ValueError(f"a part of {self} is not inside a tensor of shape {tuple(shape)}")
            slices.append(slice(start, stop))
        return tuple(slices)


def _number(value: int) -> bytes:
    """A number that is not negative: its length in bytes, then these."""
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _text(value: bytes) -> bytes:
    """A text and its end; the bytes 0 and 255 of it are followed by one that tells them from an end."""
    return b"".join({0: b"\x00\xff", 255: b"\xff\x00"}.get(byte, bytes([byte])) for byte in value) + b"\x00\x01"


def _signed(value: int) -> bytes:
    """A number with a sign: as many leading ones as bytes (zeros if negative), then the sign and the number's bits."""
    magnitude = ~value if value < 0 else value
    size = magnitude.bit_length() // 7 + 1
    header = ((1 << size) - 1) << (8 * size - size)
    return ((value & ((1 << 8 * size) - 1)) ^ header).to_bytes(size, "big")
