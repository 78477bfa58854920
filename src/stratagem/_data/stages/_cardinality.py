"""How many elements a data set has, as far as its plan tells."""

from collections.abc import Iterable

INFINITE = -1
UNKNOWN = -2


def repeated(length: int, count: int) -> int:
    """Of `repeat(count)`; -1 is for ever."""
    if length == 0 or count == 0:
        return 0
    if count < 0:
        return INFINITE
    return length if length < 0 else length * count


def taken(length: int, count: int) -> int:
    """Of `take(count)`; -1 takes all."""
    if count < 0 or length == UNKNOWN:
        return length
    return count if length == INFINITE else min(length, count)


def skipped(length: int, count: int) -> int:
    """Of `skip(count)`; -1 skips all."""
    if count < 0:
        return 0
    return length if length < 0 else max(0, length - count)


def shard_length(length: int, num_shards: int, index: int) -> int:
    """Of `shard(num_shards, index)`."""
    return length if length < 0 else max(0, -(-(length - index) // num_shards))


def batched(length: int, batch_size: int, *, drop_remainder: bool) -> int:
    """Of `batch(batch_size)`."""
    if length < 0:
        return length
    return length // batch_size if drop_remainder else -(-length // batch_size)


def windows(length: int, span: int, shift: int, *, drop_remainder: bool) -> int:
    """Of `window`, when a full window spans `span` elements."""
    if length < 0:
        return length
    return max(0, -(-(length - span + 1) // shift)) if drop_remainder else -(-length // shift)


def concatenated(first: int, second: int) -> int:
    """Of `concatenate`."""
    if INFINITE in (first, second):
        return INFINITE
    return UNKNOWN if UNKNOWN in (first, second) else first + second


def zipped(lengths: Iterable[int]) -> int:
    """Of `zip`: the shortest."""
    known = list(lengths)
    if UNKNOWN in known:
        return UNKNOWN
    return min((n for n in known if n >= 0), default=INFINITE)
