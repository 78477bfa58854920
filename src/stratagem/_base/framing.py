"""The TFRecord framing: each record follows its length, and both have a masked CRC-32C."""

import struct
from collections.abc import Sequence

import google_crc32c
import numpy as np

HEADER = struct.Struct("<QI")
CHECKSUM = struct.Struct("<I")
LENGTH_BYTES = 8
FRAME_BYTES = HEADER.size + CHECKSUM.size


def masked_crc(data: bytes) -> int:
    """The masked checksum that files store; an unmasked CRC is weak on data that itself contains CRCs."""
    return mask(google_crc32c.value(data))


def mask(crc: int) -> int:
    """The masked form of a CRC-32C."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def masked_crcs(records: Sequence[bytes]) -> np.ndarray:
    """The masked checksums of several records, (n,) uint32."""
    crcs = np.fromiter(map(google_crc32c.value, records), np.uint32, len(records))
    return (crcs >> np.uint32(15) | crcs << np.uint32(17)) + np.uint32(0xA282EAD8)


def framed(record: bytes) -> bytes:
    """The bytes of a record in a file: length, checksum of the length, record, checksum of the record."""
    length = len(record).to_bytes(LENGTH_BYTES, "little")
    return b"".join((length, CHECKSUM.pack(masked_crc(length)), record, CHECKSUM.pack(masked_crc(record))))
