"""TFRecord: every record between its length and its checksum, each checked with a masked CRC-32C."""

import struct
from typing import final

import google_crc32c

from stratagem.pipeline.files._format import Cut, Damage, Format, Place, strings

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_LENGTH_BYTES = 8
FRAME_BYTES = _HEADER.size + _CHECKSUM.size


def masked_crc(data: bytes) -> int:
    """The checksum that TFRecord files hold: that of data with checksums in it would else be too regular."""
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(record: bytes) -> bytes:
    """A record as it lies in a file."""
    length = len(record).to_bytes(_LENGTH_BYTES, "little")
    return b"".join((length, _CHECKSUM.pack(masked_crc(length)), record, _CHECKSUM.pack(masked_crc(record))))


@final
class TFRecords(Format):
    """Records of any length.

    A damaged record whose length is intact can be left out. TensorFlow gives up the rest of the file at any damage, and
    takes a file that ends within the 12 bytes before a record for complete; here that is an error too.
    """

    _KNOWN_LENGTHS = 1 << 14

    def __init__(self) -> None:
        # Lengths repeat: a header that was checked once needs no second check.
        self._lengths: dict[bytes, int] = {}

    def cut(self, data: bytes, place: Place, *, last: bool) -> Cut:
        records: list[bytes] = []
        sizes: list[int] = []
        at, needs, size = 0, 0, len(data)
        damage: Damage | None = None
        while size - at >= _HEADER.size:
            header = data[at : at + _HEADER.size]
            length = self._lengths.get(header, -1)
            if length < 0:
                length = self._checked_length(header)
            end = at + FRAME_BYTES + length
            if length < 0:
                damage = _bad_length(place.on(len(records), at))
            if length < 0:
                break
            if end > size:
                needs = end - at
                break
            record = data[at + _HEADER.size : end - _CHECKSUM.size]
            if masked_crc(record) != _CHECKSUM.unpack_from(data, end - _CHECKSUM.size)[0]:
                damage = Damage(place.on(len(records), at).lost("Corrupted data (its checksum differs)"), end - at)
                break
            records.append(record)
            sizes.append(end - at)
            at = end
        if last and at < size and damage is None:
            damage = Damage(place.on(len(records), at).lost("The file is truncated: it ends within a record"))
        return Cut(strings(records), sizes, damage, needs)

    def _checked_length(self, header: bytes) -> int:
        """The length in a header, or -1 when its checksum differs."""
        length, checksum = _HEADER.unpack(header)
        if masked_crc(header[:_LENGTH_BYTES]) != checksum:
            return -1
        if len(self._lengths) >= self._KNOWN_LENGTHS:
            self._lengths.clear()
        self._lengths[header] = length
        return int(length)


def _bad_length(place: Place) -> Damage:
    hint = " Is this even a TFRecord file, and compressed as said?" if place.offset == 0 else ""
    error = place.lost("Corrupted length, so nothing behind it can be read")
    return Damage(type(error)(f"{error}{hint}"))
