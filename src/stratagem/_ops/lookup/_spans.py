"""Spans of one buffer of bytes as strings: they are hashed and compared eight bytes at a time, all of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

WORD = 8  # bytes that are read at once
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93], np.uint64)  # odd, so that no bit is lost by multiplying
_SHIFT = np.uint64(32)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(WORD + 1)], np.uint64)  # of the first bytes of a word


@final
@dataclass(frozen=True)
class StringSpans:
    """Strings that are parts of a buffer, uint8, which has at least 8 bytes after the last of them.

    starts, lengths: (n,) int64. Spans may overlap, and leave bytes out.
    """

    buffer: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, places: np.ndarray) -> "StringSpans":
        """Returns the spans at these places, or those of a mask."""
        return StringSpans(self.buffer, self.starts[places], self.lengths[places])

    def strings(self) -> list[bytes]:
        """Returns the strings as bytes objects."""
        whole = self.buffer.tobytes()
        ends = self.starts + self.lengths
        return [whole[start:end] for start, end in zip(self.starts.tolist(), ends.tolist(), strict=True)]

    def words(self, offset: int) -> np.ndarray:
        """Returns the eight bytes of each span from `offset` on, uint64, with zeros in place of those after its end."""
        view = np.ndarray((len(self.buffer) - WORD + 1,), "<u8", self.buffer, strides=(1,))
        found: np.ndarray = view[self.starts + offset] & _MASKS[np.minimum(self.lengths - offset, WORD)]
        return found

    def hashes(self) -> np.ndarray:
        """Returns a number of each string, (n,) uint64. Different strings nearly always have different ones.

        Those of one length of at most eight bytes always have: each step for the first word can be undone.
        """
        found = self.words(0)
        found ^= self.lengths.astype(np.uint64) * _FACTORS[0]
        found *= _FACTORS[1]
        found ^= found >> _SHIFT
        offset, longer = WORD, np.flatnonzero(self.lengths > WORD)
        while len(longer):
            spans = self.at(longer)
            mixed = (found[longer] * _FACTORS[0] ^ spans.words(offset)) * _FACTORS[1]
            found[longer] = mixed ^ mixed >> _SHIFT
            offset += WORD
            longer = longer[spans.lengths > offset]
        return found

    def equal(self, other: "StringSpans") -> np.ndarray:
        """Returns where two columns of strings of the same hashes are equal, bool (n,)."""
        found: np.ndarray = self.lengths == other.lengths
        offset, left = 0, np.flatnonzero(found & (self.lengths > WORD))
        while len(left):
            ours, theirs = self.at(left), other.at(left)
            alike = ours.words(offset) == theirs.words(offset)
            found[left[~alike]] = False
            offset += WORD
            left = left[alike & (ours.lengths > offset)]
        return found


def spans_of(strings: Sequence[bytes]) -> StringSpans:
    """Returns strings as spans of a buffer that has them one after the other."""
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    buffer = np.frombuffer(b"".join((*strings, bytes(WORD))), np.uint8)
    return StringSpans(buffer, np.cumsum(lengths) - lengths, lengths)


@final
class SpanSearch:
    """The places of spans among strings, (n,), that are all different. places: of each of them, for what hashes leave open."""

    def __init__(self, places: dict[bytes, int]) -> None:
        self._exact = places
        spans = spans_of(list(places))
        hashes = spans.hashes()
        # Four buckets a string: most have one or none. The strings of a bucket lie one after the other.
        self._shift = np.uint64(64 - max(4, (4 * len(spans)).bit_length()))
        buckets = self._buckets(hashes)
        order = np.argsort(buckets, kind="stable")
        self._spans, self._hashes = spans.at(order), hashes[order]
        self._places = np.fromiter(places.values(), np.int64, len(places))[order]
        self._counts = np.bincount(buckets, minlength=1 << (64 - int(self._shift)))
        self._firsts = np.cumsum(self._counts) - self._counts

    def places(self, keys: StringSpans) -> np.ndarray:
        """Returns the place of each span, -1 for those that are not there, (n,) int64."""
        hashes = keys.hashes()
        buckets = self._buckets(hashes)
        found = np.full(len(keys), -1)
        depth, left = 0, np.flatnonzero(self._counts[buckets])
        while len(left):
            near = self._firsts[buckets[left]] + depth
            hit = self._hashes[near] == hashes[left]
            found[left[hit]] = near[hit]
            depth += 1
            left = left[~hit]
            left = left[self._counts[buckets[left]] > depth]
        known = np.flatnonzero(found >= 0)
        near = found[known]
        found[known] = self._places[near]
        other = known[~keys.at(known).equal(self._spans.at(near))]
        if len(other):
            found[other] = [self._exact.get(key, -1) for key in keys.at(other).strings()]
        return found

    def _buckets(self, hashes: np.ndarray) -> np.ndarray:
        return (hashes * _FACTORS[0] >> self._shift).astype(np.int64)
