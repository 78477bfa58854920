"""Fingerprints of words that are known from earlier batches: the words of a feature repeat from step to step."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from stratagem._ops.text._hash_functions import Words, fingerprint64, hashed

_MOST: Final = 1 << 16  # words that are kept: the first ones, as those of a feature with many more seldom repeat
_LONGEST: Final = 64  # bytes of a word that is kept
_LARGE: Final = 256  # words of a batch from which on looking them up costs more than it saves, if they are new

_known: dict[bytes, int] = {}  # a cache, shared by all threads


def fingerprints_of(texts: Sequence[bytes]) -> Words:
    """Returns FarmHash's Fingerprint64 of every string, (n,)."""
    if len(texts) > _LARGE:
        return hashed(texts, fingerprint64)
    try:
        return np.fromiter(map(_known.__getitem__, texts), np.uint64, len(texts))
    except KeyError:
        return _with_new(texts)


def _with_new(texts: Sequence[bytes]) -> Words:
    """The same for a batch with words that are not known yet, and are from now on."""
    found = list(map(_known.get, texts))
    missing = [text for text, number in zip(texts, found, strict=True) if number is None]
    made = hashed(missing, fingerprint64)
    if len(_known) + len(missing) <= _MOST:
        pairs = zip(missing, made.tolist(), strict=True)
        _known.update((text, number) for text, number in pairs if len(text) <= _LONGEST)
    if len(missing) == len(texts):
        return made
    numbers = np.array([number or 0 for number in found], np.uint64)
    numbers[[number is None for number in found]] = made
    return numbers


def buckets_of_strings(texts: Sequence[bytes], num_buckets: int) -> np.ndarray:
    """Returns what `to_hash_bucket_fast` does, int64 (n,), for code that works on the host: `num_buckets` is positive."""
    if num_buckets == 1:
        return np.zeros(len(texts), np.int64)
    return (fingerprints_of(texts) % np.uint64(num_buckets)).astype(np.int64)
