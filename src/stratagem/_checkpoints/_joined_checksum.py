"""The CRC-32C of joined parts, made of the checksums of the parts, which are not read again.

A checksum is a polynomial over GF(2), modulo the checksum's own; its lowest bit is the coefficient of x^31. Bytes behind others
multiply these by a power of x, so checksums of parts can be added. (zlib's `crc32_combine` does so for its checksum.)
"""

import functools
from typing import Final

_MODULUS: Final = 0x82F63B78  # Castagnoli's polynomial without x^32
_ONE: Final = 1 << 31


def joined_checksum(first: int, second: int, size: int) -> int:
    """Returns the checksum of two parts, one behind the other. size: of the second in bytes."""
    return _product(_power_of_x(8 * size), first) ^ second


def _product(one: int, other: int) -> int:
    found = 0
    while one:
        if one & _ONE:
            found ^= other
        one = one << 1 & 0xFFFFFFFF
        other = other >> 1 ^ (_MODULUS if other & 1 else 0)
    return found


@functools.lru_cache(maxsize=256)  # most arrays of a model have one of a few sizes
def _power_of_x(exponent: int) -> int:
    found, square = _ONE, _ONE >> 1
    while exponent:
        if exponent & 1:
            found = _product(found, square)
        square, exponent = _product(square, square), exponent >> 1
    return found
