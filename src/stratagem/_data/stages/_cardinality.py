"""Computes the number of elements of a dataset, as far as its plan determines it."""

from collections.abc import Iterable

from stratagem._base.exports import exported

INFINITE = exported("data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")(-1)
UNKNOWN = exported("data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")(-2)


def repeated(length: int, count: int) -> int:
    """The cardinality of `repeat(count)`; a count of -1 repeats forever."""
    if length == 0 or count == 0:
        return 0
    if count < 0:
        return INFINITE
    return length if length < 0 else length * count


def taken(length: int, count: int) -> int:
    """The cardinality of `take(count)`; a count of -1 takes all."""
    if count < 0 or length == UNKNOWN:
        return length
    return count if length == INFINITE else min(length, count)


def skipped(length: int, count: int) -> int:
    """The cardinality of `skip(count)`; a count of -1 skips all."""
    if count < 0:
        return 0
    return length if length < 0 else max(0, length - count)


def shard_length(length: int, num_shards: int, index: int) -> int:
    """The cardinality of `shard(num_shards, index)`."""
    return length if length < 0 else max(0, -(-(length - index) // num_shards))


def batched(length: int, batch_size: int, *, drop_remainder: bool) -> int:
    """The cardinality of `batch(batch_size)`."""
    if length < 0:
        return length
    return length // batch_size if drop_remainder else -(-length // batch_size)


def windows(length: int, span: int, shift: int, *, drop_remainder: bool) -> int:
    """The cardinality of `window`, for full windows that span `span` elements."""
    if length < 0:
        return length
    return max(0, -(-(length - span + 1) // shift)) if drop_remainder else -(-length // shift)


def concatenated(first: int, second: int) -> int:
    """The cardinality of `concatenate`."""
    if INFINITE in (first, second):
        return INFINITE
    return UNKNOWN if UNKNOWN in (first, second) else first + second


def zipped(lengths: Iterable[int]) -> int:
    """The cardinality of `zip`: that of the shortest dataset."""
    known = list(lengths)
    if UNKNOWN in known:
        return UNKNOWN
    return min((n for n in known if n >= 0), default=INFINITE)
