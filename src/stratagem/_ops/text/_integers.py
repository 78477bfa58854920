"""Hashes of integers as of the strings that show them, and of combinations; in compiled steps, too, where strings cannot be."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._ops._convert import Tensor, allow_x64, is_traced, on_device
from stratagem._ops.text._hash_functions import Words, fingerprint64, hashed, siphash
from stratagem._ops.text._known_fingerprints import fingerprints_of

_DIGITS = 20  # of the largest uint64
_MINUS, _ZERO = ord("-"), ord("0")
_COMBINED = 0xC6A4A7935BD1E995  # Murmur's factor, by which TensorFlow combines two fingerprints
_CROSSING_SEED = 0xDECAFCAFFE  # TensorFlow's `hash_key` where none is given


def bucket_of_integers(values: Tensor, num_buckets: int, key: Sequence[int] | None = None) -> Tensor:
    """Returns the bucket of each integer, int64, of its shape: that of the string that shows it.

    key: two numbers with which SipHash-2-4 is used; by default it is FarmHash.
    """
    function: Callable[[Any], Words] = fingerprint64
    if key is not None:
        function = functools.partial(siphash, key=(int(key[0]) % 2**64, int(key[1]) % 2**64))
    with allow_x64(np.uint64):
        if is_traced(values):
            return (_traced_hashes(values, function) % np.uint64(num_buckets)).astype(np.int64)
        array = np.asarray(values)
        texts = [b"%d" % number for number in array.ravel().tolist()]
        numbers = fingerprints_of(texts) if key is None else hashed(texts, function)
        return on_device((numbers % np.uint64(num_buckets)).astype(np.int64).reshape(array.shape))


def _traced_hashes(values: Tensor, function: Callable[[Any], Words]) -> Tensor:
    """Hashes what a step computes: for each length that the text of a number of this dtype may have, and then one is chosen."""
    flat = values.ravel()
    negative = flat < 0
    wide = flat.astype(np.uint64)
    size = jnp.where(negative, ~wide + np.uint64(1), wide)
    powers = [np.uint64(10**place) for place in range(_DIGITS)]
    digits = [(size // power % np.uint64(10)).astype(np.uint8) + np.uint8(_ZERO) for power in powers]
    length = sum((size >= power).astype(np.int32) for power in powers[1:]) + 1 + negative.astype(np.int32)
    found = jnp.zeros(flat.shape, np.uint64)
    bounds = np.iinfo(np.dtype(values.dtype))
    for count in range(1, max(len(str(bounds.min)), len(str(bounds.max))) + 1):
        text = [digits[count - 1 - place] for place in range(count)]
        text[0] = jnp.where(negative, np.uint8(_MINUS), text[0])
        found = jnp.where(length == count, function(jnp.stack(text, axis=-1)), found)
    return found.reshape(values.shape)


def crossed_buckets(columns: Sequence[Any], num_buckets: int, hash_key: int | None = None) -> Tensor:
    """Returns the bucket of each combination, int64, of the columns' one shape, as TensorFlow's `sparse.cross_hashed`.

    columns: integers, or strings on the host. A string counts by its fingerprint. num_buckets: 0 gives the hash below the
    largest int64. hash_key: another number to begin with.
    """
    with allow_x64(np.uint64):
        found: Any = np.uint64((hash_key or _CROSSING_SEED) % 2**64)
        for column in columns:
            found = _combined(found, _as_words(column))
        buckets = (found % np.uint64(num_buckets or np.iinfo(np.int64).max)).astype(np.int64)
        return buckets if is_traced(buckets) else on_device(np.asarray(buckets))


def fingerprints(strings: np.ndarray) -> np.ndarray:
    """Returns int64 numbers that are crossed as these strings are, for a compiled step that crosses them with others."""
    words: np.ndarray = _as_words(strings).astype(np.int64)
    return words


def _as_words(column: Any) -> Any:
    if is_traced(column):
        return column.astype(np.uint64)
    array = np.asarray(column)
    if array.dtype != object:
        return array.astype(np.uint64)
    return fingerprints_of(array.ravel().tolist()).reshape(array.shape)


def _combined(first: Any, second: Any) -> Any:
    """Combines two fingerprints as `FingerprintCat64` of TensorFlow does, by the last steps of MurmurHash64A."""
    factor = np.uint64(_COMBINED)
    with np.errstate(over="ignore"):
        part = second * factor
        found = (first ^ factor) ^ ((part ^ (part >> np.uint64(47))) * factor)
        found = found * factor
        found = (found ^ (found >> np.uint64(47))) * factor
        return found ^ (found >> np.uint64(47))
