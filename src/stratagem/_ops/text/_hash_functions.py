"""Hashes of strings with TensorFlow's numbers: FarmHash's Fingerprint64, MurmurHash64A, SipHash-2-4.

Each function takes strings of one length as the rows of an array of bytes, shape (n, length), and returns n uint64. All work
is done for all rows at once; arithmetic is modulo 2**64. The algorithms are published: FarmHash (Geoff Pike, the variant
`farmhashna`), MurmurHash2 (Austin Appleby) and SipHash (Aumasson and Bernstein, 2012).
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

Words = np.ndarray  # uint64, one for each row


def hashed(texts: Sequence[bytes], function: Callable[[np.ndarray], Words]) -> Words:
    """Returns the hash of every string: `function` is called once for each length among them."""
    lengths = np.array([len(text) for text in texts], int)
    found = np.zeros(len(texts), np.uint64)
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length)
        joined = b"".join(texts[place] for place in places.tolist())
        found[places] = function(np.frombuffer(joined, np.uint8).reshape(len(places), length))
    return found


def _word(rows: np.ndarray, start: int, size: int = 8) -> Words:
    """The `size` bytes from `start` on as a number, the least first."""
    if isinstance(rows, jax.Array):
        parts = [rows[:, start + place].astype(np.uint64) << _u64(8 * place) for place in range(size)]
        return sum(parts, jnp.zeros(len(rows), np.uint64))
    padded = np.zeros((len(rows), 8), np.uint8)
    padded[:, :size] = rows[:, start : start + size]
    return padded.view("<u8").ravel().astype(np.uint64)


def _u64(number: int) -> np.uint64:
    return np.uint64(number % 2**64)


# --- FarmHash ---------------------------------------------------------------------------------------------------------

_K0, _K1, _K2 = _u64(0xC3A5C85C97CB3127), _u64(0xB492B66FBE98F273), _u64(0x9AE16A3B2F90404F)


def _rotated(x: Words, right: int) -> Words:
    return (x >> _u64(right)) | (x << _u64(64 - right))


def _mixed(x: Words) -> Words:
    return x ^ (x >> _u64(47))


def _pair(u: Words, v: Words, factor: Words) -> Words:
    """The hash of 16 bytes."""
    return _mixed((v ^ _mixed((u ^ v) * factor)) * factor) * factor


def fingerprint64(rows: np.ndarray) -> Words:
    """Returns FarmHash's Fingerprint64, which never changes between its versions."""
    length = rows.shape[1]
    if length > 64:
        return _farm_long(rows)
    if length > 32:
        return _farm_to_64(rows)
    if length > 16:
        return _farm_to_32(rows)
    return _farm_to_16(rows)


def _factor(rows: np.ndarray) -> Words:
    return np.full(len(rows), _u64(int(_K2) + 2 * rows.shape[1]))


def _farm_to_16(rows: np.ndarray) -> Words:
    length, factor = rows.shape[1], _factor(rows)
    if length >= 8:
        a, b = _word(rows, 0) + _K2, _word(rows, length - 8)
        return _pair(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)
    if length >= 4:
        return _pair((_word(rows, 0, 4) << _u64(3)) + _u64(length), _word(rows, length - 4, 4), factor)
    if length:
        first, middle, last = (_word(rows, place, 1) for place in (0, length // 2, length - 1))
        y, z = first + (middle << _u64(8)), (last << _u64(2)) + _u64(length)
        return _mixed(y * _K2 ^ z * _K0) * _K2
    return np.full(len(rows), _K2)


def _farm_to_32(rows: np.ndarray) -> Words:
    length, factor = rows.shape[1], _factor(rows)
    a, b = _word(rows, 0) * _K1, _word(rows, 8)
    c, d = _word(rows, length - 8) * factor, _word(rows, length - 16) * _K2
    return _pair(_rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c, factor)


def _farm_to_64(rows: np.ndarray) -> Words:
    length, factor = rows.shape[1], _factor(rows)
    a, b = _word(rows, 0) * _K2, _word(rows, 8)
    c, d = _word(rows, length - 8) * factor, _word(rows, length - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _pair(y, a + _rotated(b + _K2, 18) + c, factor)
    e, f = _word(rows, 16) * factor, _word(rows, 24)
    g, h = (y + _word(rows, length - 32)) * factor, (z + _word(rows, length - 24)) * factor
    return _pair(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, factor)


def _weak(rows: np.ndarray, start: int, a: Words, b: Words) -> tuple[Words, Words]:
    """A quick hash of 32 bytes with two seeds."""
    w, x, y, z = (_word(rows, start + place) for place in (0, 8, 16, 24))
    a = a + w
    b = _rotated(b + a + z, 21)
    total = a + x + y
    return total + z, b + _rotated(total, 44) + a


def _farm_long(rows: np.ndarray) -> Words:
    length = rows.shape[1]
    zero = np.zeros(len(rows), np.uint64)
    seed = zero + _u64(81)
    x, y = seed * _K2 + _word(rows, 0), seed * _K1 + _u64(113)
    z = _mixed(y * _K2 + _u64(113)) * _K2
    v, w = (zero, zero), (zero, zero)
    for start in range(0, (length - 1) // 64 * 64, 64):
        x = _rotated(x + y + v[0] + _word(rows, start + 8), 37) * _K1 ^ w[1]
        y = _rotated(y + v[1] + _word(rows, start + 48), 42) * _K1 + v[0] + _word(rows, start + 40)
        z = _rotated(z + w[0], 33) * _K1
        v = _weak(rows, start, v[1] * _K1, x + w[0])
        w = _weak(rows, start + 32, z + w[1], y + _word(rows, start + 16))
        x, z = z, x
    factor = ((z & _u64(0xFF)) << _u64(1)) + _K1
    start, nine = length - 64, _u64(9)
    w = (w[0] + _u64((length - 1) % 64), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x = _rotated(x + y + v[0] + _word(rows, start + 8), 37) * factor ^ w[1] * nine
    y = _rotated(y + v[1] + _word(rows, start + 48), 42) * factor + v[0] * nine + _word(rows, start + 40)
    z = _rotated(z + w[0], 33) * factor
    v = _weak(rows, start, v[1] * factor, x + w[0])
    w = _weak(rows, start + 32, z + w[1], y + _word(rows, start + 16))
    return _pair(_pair(v[0], w[0], factor) + _mixed(y) * _K0 + x, _pair(v[1], w[1], factor) + z, factor)


# --- MurmurHash64A, SipHash -------------------------------------------------------------------------------------------

_MURMUR = _u64(0xC6A4A7935BD1E995)
_MURMUR_SEED = 0xDECAFCAFFE  # TensorFlow's


def murmur64(rows: np.ndarray) -> Words:
    """Returns MurmurHash64A with the seed that `tf.strings.to_hash_bucket` has."""
    length = rows.shape[1]
    found = np.full(len(rows), _u64(_MURMUR_SEED ^ (length * int(_MURMUR)) % 2**64))
    for start in range(0, length - 7, 8):
        part = _mixed(_word(rows, start) * _MURMUR) * _MURMUR
        found = (found ^ part) * _MURMUR
    if length % 8:
        found = (found ^ _word(rows, length - length % 8, length % 8)) * _MURMUR
    return _mixed(_mixed(found) * _MURMUR)


def siphash(rows: np.ndarray, key: tuple[int, int]) -> Words:
    """Returns SipHash-2-4 with this key."""
    length = rows.shape[1]
    begin = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    state = [np.full(len(rows), _u64(word ^ key[i % 2])) for i, word in enumerate(begin)]
    words = [_word(rows, start) for start in range(0, length - 7, 8)]
    words.append(_word(rows, length - length % 8, length % 8) | _u64(length % 256 << 56))
    for word in words:
        state[3] = state[3] ^ word
        state = _sip_round(_sip_round(state))
        state[0] = state[0] ^ word
    state[2] = state[2] ^ _u64(0xFF)
    for _ in range(4):
        state = _sip_round(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_round(state: list[Words]) -> list[Words]:
    a, b, c, d = state
    a, c = a + b, c + d
    b, d = _rotated(b, 64 - 13) ^ a, _rotated(d, 64 - 16) ^ c
    a = _rotated(a, 32)
    c, a = c + b, a + d
    b, d = _rotated(b, 64 - 17) ^ c, _rotated(d, 64 - 21) ^ a
    return [a, b, _rotated(c, 32), d]
