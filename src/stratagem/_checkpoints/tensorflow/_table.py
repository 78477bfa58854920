"""Tables of sorted keys and values in one file, as LevelDB's: the format of a checkpoint's `.index`.

    data block …  metaindex block  index block  footer
    block:   entries, the offsets of entries whose keys are whole, their number; then a byte for its compression, and a checksum
    entry:   three varints (bytes shared with the last key, other bytes of the key, bytes of the value), key, value
    footer:  where the metaindex and the index are, zeros, a magic number

The index block has one entry a data block: a key that is not less than its last one, and where it is. Every byte is covered by
a checksum, or has only one right value, so a changed byte is noticed wherever it is.
"""

import struct
from collections.abc import Iterable, Iterator
from itertools import pairwise

from stratagem._base.errors import UnimplementedError
from stratagem._base.framing import CHECKSUM, masked_crc
from stratagem._base.varints import read_varint, varint
from stratagem._checkpoints.tensorflow._damage import damage

_MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
_FOOTER = 48  # bytes
_TRAILER = 1 + CHECKSUM.size
_WHOLE_KEY_EVERY = 16  # entries
_BLOCK = 1 << 18  # bytes, from which on a block is full
_LONGEST_KEY = 1 << 16
_NUMBER = struct.Struct("<I")


def table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The bytes of a table. entries: keys and values, sorted by keys, no key twice."""
    parts, index = bytearray(), []
    block: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in entries:
        block.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK:
            index.append((key, _append(parts, block)))
            block, size = [], 0
    if block:
        index.append((block[-1][0], _append(parts, block)))
    metaindex = _append(parts, [])
    footer = metaindex + _append(parts, index, whole_keys=True)
    return bytes(parts + footer.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC)


def _append(parts: bytearray, entries: list[tuple[bytes, bytes]], *, whole_keys: bool = False) -> bytes:
    """Appends a block, and returns where it is: offset and size as varints."""
    content, restarts, last = bytearray(), [], b""
    for i, (key, value) in enumerate(entries):
        shared = 0
        if whole_keys or i % _WHOLE_KEY_EVERY == 0:
            restarts.append(len(content))
        else:
            shared = next(
                (n for n, (a, b) in enumerate(zip(last, key, strict=False)) if a != b), min(len(last), len(key))
            )
        content += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    restarts = restarts or [0]
    content += b"".join(map(_NUMBER.pack, [*restarts, len(restarts)]))
    place = varint(len(parts)) + varint(len(content))
    content += b"\0"  # not compressed
    parts += content + CHECKSUM.pack(masked_crc(bytes(content)))
    return place


def read_table(data: bytes, file: str) -> dict[bytes, bytes]:
    """The entries of a table, in their order. Memory is bounded by a multiple of the bytes given.

    Raises DataLossError for anything but a whole table, and UnimplementedError for a compressed one; both name `file`.
    """
    try:
        return _read(data)
    except ValueError as error:
        raise damage(file, str(error)) from error
    except UnimplementedError as error:
        raise UnimplementedError(f"{file!r}: {error}") from error


def _read(data: bytes) -> dict[bytes, bytes]:
    if len(data) < _FOOTER or not data.endswith(_MAGIC):
        raise ValueError("it does not end as a table does")
    footer = len(data) - _FOOTER
    places = data[footer : -len(_MAGIC)]
    metaindex, at = _place(places, 0)
    index, at = _place(places, at)
    if any(places[at:]):
        raise ValueError("its footer has more than two places")
    budget = _KeyBudget(len(data))
    blocks = []
    for key, value in _entries(_block(data, index), budget):
        place, end = _place(value, 0)
        if end != len(value):
            raise ValueError("an entry of its index has more than a place")
        blocks.append((key, place))
    if list(_entries(_block(data, metaindex), budget)):
        raise ValueError("it has blocks of other kinds than data")
    _check_order([place for _, place in blocks] + [metaindex, index], footer)
    found: dict[bytes, bytes] = {}
    last: bytes | None = None
    for limit, place in blocks:
        for key, value in _entries(_block(data, place), budget):
            if last is not None and key <= last:
                raise ValueError("its keys are not sorted")
            found[key] = value
            last = key
        if last is None or last > limit:
            raise ValueError("its index does not fit its blocks")
    return found


class _KeyBudget:
    """The bytes that all keys may have together: each shares at most what the last whole one has."""

    def __init__(self, size: int) -> None:
        self._left = 2 * _WHOLE_KEY_EVERY * size

    def take(self, length: int) -> None:
        self._left -= length
        if length > _LONGEST_KEY or self._left < 0:
            raise ValueError("its keys are longer than those of any checkpoint")


def _place(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def _check_order(places: list[tuple[int, int]], end: int) -> None:
    """Checks that the blocks follow each other without gaps."""
    bounds = [(offset, offset + size + _TRAILER) for offset, size in places]
    if bounds[0][0] != 0 or bounds[-1][1] != end or any(before[1] != after[0] for before, after in pairwise(bounds)):
        raise ValueError("its blocks do not follow each other")


def _block(data: bytes, place: tuple[int, int]) -> bytes:
    offset, size = place
    end = offset + size
    if end + _TRAILER > len(data) - _FOOTER:
        raise ValueError("a block is beyond its end")
    (crc,) = CHECKSUM.unpack_from(data, end + 1)
    if masked_crc(data[offset : end + 1]) != crc:
        raise ValueError(f"the checksum of the block at byte {offset} is wrong")
    if data[end] != 0:
        raise UnimplementedError(
            f"A table is compressed (kind {data[end]}), and TensorFlow writes the tables of checkpoints without compression."
        )
    return data[offset:end]


def _entries(block: bytes, budget: _KeyBudget) -> Iterator[tuple[bytes, bytes]]:
    if len(block) < _NUMBER.size:
        raise ValueError("a block is too short")
    (restarts,) = _NUMBER.unpack_from(block, len(block) - _NUMBER.size)
    end = len(block) - (restarts + 1) * _NUMBER.size
    if end < 0:
        raise ValueError("a block has more restarts than bytes")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        other, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or at + other + length > end:
            raise ValueError("an entry is longer than its block")
        budget.take(shared + other)
        key = key[:shared] + block[at : at + other]
        at += other
        yield key, block[at : at + length]
        at += length
