"""How records lie in a file, TFRecord's way: each after its length, both with a masked CRC-32C."""

import struct

import google_crc32c

HEADER = struct.Struct("<QI")
CHECKSUM = struct.Struct("<I")
LENGTH_BYTES = 8
FRAME_BYTES = HEADER.size + CHECKSUM.size


def masked_crc(data: bytes) -> int:
    """The checksum that the files hold: that of data with checksums in it would else be too regular."""
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(record: bytes) -> bytes:
    """A record as it lies in a file."""
    length = len(record).to_bytes(LENGTH_BYTES, "little")
    return b"".join((length, CHECKSUM.pack(masked_crc(length)), record, CHECKSUM.pack(masked_crc(record))))
