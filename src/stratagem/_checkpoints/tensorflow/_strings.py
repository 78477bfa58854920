"""String tensors in a shard: all lengths as varints, a checksum of these, then all bytes."""

from collections.abc import Iterable

import google_crc32c

from stratagem._base.framing import CHECKSUM, mask
from stratagem._base.varints import read_varint, varint

_NARROW = 1 << 32


def encode_strings(values: Iterable[bytes]) -> tuple[bytes, int]:
    """The bytes of a string tensor, and the checksum that its entry has."""
    values = list(values)
    crc = google_crc32c.value(b"".join(_fixed(len(value)) for value in values))
    lengths_crc = CHECKSUM.pack(mask(crc))
    crc = google_crc32c.extend(crc, lengths_crc)
    content = b"".join(values)
    crc = google_crc32c.extend(crc, content)
    return b"".join([*(varint(len(value)) for value in values), lengths_crc, content]), mask(crc)


def decode_strings(data: bytes, count: int, crc: int) -> list[bytes]:
    """The strings of a tensor. count: how many they are; crc: its entry's checksum. Raises ValueError if they are damaged."""
    if count > len(data):
        raise ValueError(f"it has {len(data)} bytes for {count} strings")
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    found = google_crc32c.value(b"".join(map(_fixed, lengths)))
    stored = data[at : at + CHECKSUM.size]
    at += CHECKSUM.size
    if stored != CHECKSUM.pack(mask(found)) or at + sum(lengths) != len(data):
        raise ValueError("the lengths of its strings are wrong")
    found = google_crc32c.extend(google_crc32c.extend(found, stored), data[at:])
    if mask(found) != crc:
        raise ValueError("its checksum is wrong")
    strings = []
    for length in lengths:
        strings.append(data[at : at + length])
        at += length
    return strings


def _fixed(length: int) -> bytes:
    """A length as checksums see it."""
    return length.to_bytes(4 if length < _NARROW else 8, "little")
