"""Fingerprints of words that are known from earlier batches: the words of a feature repeat from step to step."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from stratagem._ops.text._hash_functions import Words, fingerprint64, hashed

_MOST: Final = 1 << 16  # words that are kept; a feature with more distinct ones gains little
_LONGEST: Final = 64  # bytes of a word that is kept

_known: dict[bytes, int] = {}  # a cache, shared by all threads


def fingerprints_of(texts: Sequence[bytes]) -> Words:
    """Returns FarmHash's Fingerprint64 of every string, (n,)."""
    found = list(map(_known.get, texts))
    if None not in found:
        return np.array(found, np.uint64)
    missing = list({text for text, number in zip(texts, found, strict=True) if number is None})
    if len(missing) > _MOST:
        return hashed(texts, fingerprint64)
    made = dict(zip(missing, hashed(missing, fingerprint64).tolist(), strict=True))
    if len(_known) + len(made) > _MOST:
        _known.clear()
    _known.update((text, number) for text, number in made.items() if len(text) <= _LONGEST)
    every = [made[text] if number is None else number for text, number in zip(texts, found, strict=True)]
    return np.array(every, np.uint64)


def buckets_of_strings(texts: Sequence[bytes], num_buckets: int) -> np.ndarray:
    """Returns what `to_hash_bucket_fast` does, int64 (n,), for code that works on the host: `num_buckets` is positive."""
    return (fingerprints_of(texts) % np.uint64(num_buckets)).astype(np.int64)
