"""Tokens as spans of one buffer, which has all texts of a batch: they are found and cut without an object for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from stratagem._ops.lookup import StringSpans
from stratagem._preprocessing._index_lookup import IndexLookup
from stratagem._preprocessing._token_rows import Tokens

_SPACE = 0x20
_WHITE = b"\t\n\v\f\r "
_TO_SPACE = bytes.maketrans(_WHITE, bytes([_SPACE]) * len(_WHITE))
# Bytes that UTF-8 never has, one of which separates texts.
_SEPARATORS = tuple(bytes([byte]) for byte in (0xFF, 0xFE, 0xC0, 0xC1, *range(0xF5, 0xFE)))
_BEHIND = 8  # bytes that a buffer has after its last span


@final
@dataclass(frozen=True)
class TokenSpans(Tokens):
    """Rows of tokens that are spans of a buffer. counts: of the tokens of each row, (rows,) int64."""

    spans: StringSpans
    counts: np.ndarray
    shape: tuple[int, ...]

    def lengths(self) -> np.ndarray:
        return self.counts

    def numbers_in(self, lookup: IndexLookup) -> np.ndarray:
        return lookup.numbers_of_spans(self.spans)

    def cut(self, most: int | None) -> "TokenSpans":
        if most is None or not (self.counts > most).any():
            return self
        kept = self._columns() < most
        return TokenSpans(self.spans.at(kept), np.minimum(self.counts, most), self.shape)

    def with_ngrams(self, widths: Sequence[int], most: int | None = None) -> "TokenSpans":
        rows, columns = self.row_numbers(), self._columns()
        ends = self.spans.starts + self.spans.lengths
        before, parts = np.zeros(len(self.counts), np.int64), []
        for width in widths:
            whole = columns + width <= self.counts[rows]
            if most is not None:
                whole &= before[rows] + columns < most
            first = np.flatnonzero(whole)
            parts.append((first, first + width - 1, before[rows[first]] + columns[first]))
            before += np.maximum(self.counts - width + 1, 0)
        counts = before if most is None else np.minimum(before, most)
        firsts, lasts, places = map(np.concatenate, zip(*parts, strict=True))
        order = np.empty(len(firsts), np.int64)
        order[(np.cumsum(counts) - counts)[rows[firsts]] + places] = np.arange(len(firsts))
        starts = self.spans.starts[firsts[order]]
        spans = StringSpans(self.spans.buffer, starts, ends[lasts[order]] - starts)
        return TokenSpans(spans, counts, self.shape)

    def _columns(self) -> np.ndarray:
        """The place of each token in its row."""
        return np.arange(len(self.spans)) - np.repeat(np.cumsum(self.counts) - self.counts, self.counts)


def split_at_whitespace(texts: np.ndarray, table: bytes, dropped: bytes, *, single: bool) -> TokenSpans | None:
    """Returns the words of texts, bytes objects, that are translated as by `bytes.translate(table, dropped)`.

    single: between two words of a text there is to be nothing but a space, as in n-grams. Returns None if the texts have all
    the bytes that are not in UTF-8.
    """
    whole = _joined(texts.ravel().tolist(), table, dropped)
    if whole is None:
        return None
    separator, buffer = whole[0], np.frombuffer(whole, np.uint8)
    between = (buffer == _SPACE) | (buffer == separator)
    if single and (twice := (buffer[:-1] == _SPACE) & (buffer[1:] == _SPACE)).any():
        kept = np.append(~twice, True)
        buffer, between = buffer[kept], between[kept]
    edges = np.flatnonzero(between[1:] != between[:-1]) + 1
    starts = edges[::2]
    # The buffer begins with a separator, and has one after each text.
    limits = np.flatnonzero(buffer == separator)[: texts.size + 1]
    counts = np.diff(np.searchsorted(starts, limits))
    return TokenSpans(StringSpans(buffer, starts, edges[1::2] - starts), counts, texts.shape)


def _joined(texts: list[bytes], table: bytes, dropped: bytes) -> bytes | None:
    """The translated texts, with spaces for all whitespace, after and before separators; None without a separator."""
    table = table.translate(_TO_SPACE)
    kept = [
        byte for byte in _SEPARATORS if byte not in dropped and table.count(byte) == 1 and table[byte[0]] == byte[0]
    ]
    for separator in kept:
        whole = separator.join((b"", *texts, b""))
        if whole.count(separator) == len(texts) + 1:
            return whole.translate(table, dropped) + separator * _BEHIND
    return None
