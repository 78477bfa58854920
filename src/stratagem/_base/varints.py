"""Varints: numbers in seven bits a byte, as protobuf messages and TensorFlow's string tensors and tables have them."""

_LONGEST = 10  # bytes of 64 bits


def varint(number: int) -> bytes:
    """Encodes a number of at most 64 bits that is not negative."""
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """The number at a position, and the position after it. Raises ValueError where none is."""
    number = 0
    for i in range(_LONGEST):
        if at + i >= len(data):
            raise ValueError("a number is cut off")
        byte = data[at + i]
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            if number >= 1 << 64:
                break
            if byte == 0 and i > 0:
                raise ValueError("a number has more bytes than it needs")
            return number, at + i + 1
    raise ValueError("a number has more than 64 bits")
