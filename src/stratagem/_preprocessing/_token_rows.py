"""Rows of tokens, of different lengths: what texts are split into."""

import abc
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._ops import on_device
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.text import ngrams
from stratagem._preprocessing._index_lookup import IndexLookup


class Tokens(abc.ABC):
    """Rows of tokens. shape: that of the texts, of which each is a row."""

    shape: tuple[int, ...]

    @abc.abstractmethod
    def lengths(self) -> np.ndarray:
        """Returns the number of tokens of each row, int64."""

    @abc.abstractmethod
    def numbers_in(self, lookup: IndexLookup) -> np.ndarray:
        """Returns the number of each token in their order, (n,). Raises as the layer's `call`."""

    @abc.abstractmethod
    def cut(self, most: int | None) -> "Tokens":
        """Returns the first tokens of each row, at most so many."""

    @abc.abstractmethod
    def with_ngrams(self, widths: Sequence[int], most: int | None = None) -> "Tokens":
        """Returns the rows with their n-grams of these widths, one width after the other, in place of the tokens.

        most: how many of each row are needed.
        """

    def row_numbers(self) -> np.ndarray:
        """Returns the row of each token, (n,)."""
        lengths = self.lengths()
        return np.repeat(np.arange(len(lengths)), lengths)

    def ragged(self, entries: np.ndarray) -> RaggedTensor:
        """Returns an entry for each token as a ragged tensor, (*shape, (tokens))."""
        made = RaggedTensor.from_row_lengths(on_device(entries), self.lengths())
        for size in self.shape[:0:-1]:
            made = RaggedTensor.from_uniform_row_length(made, size)
        return made

    def padded(self, numbers: np.ndarray, length: int | None) -> np.ndarray:
        """Returns a number for each token as an array, (*shape, length), cut or filled up with 0; None is the longest."""
        sizes = self.lengths()
        width = int(sizes.max(initial=0)) if length is None else length
        found = np.zeros((len(sizes), width), numbers.dtype)
        if (sizes > width).any():
            numbers = numbers[np.arange(len(numbers)) - np.repeat(np.cumsum(sizes) - sizes, sizes) < width]
        found[np.arange(width) < sizes[:, None]] = numbers
        return found.reshape((*self.shape, width))


@final
@dataclass(frozen=True)
class TokenRows(Tokens):
    """Rows of bytes objects."""

    rows: list[list[bytes]]
    shape: tuple[int, ...]

    def lengths(self) -> np.ndarray:
        return np.fromiter(map(len, self.rows), np.int64, len(self.rows))

    def numbers_in(self, lookup: IndexLookup) -> np.ndarray:
        return lookup.numbers_of_strings(self.tokens())

    def cut(self, most: int | None) -> "TokenRows":
        return self if most is None else TokenRows([row[:most] for row in self.rows], self.shape)

    def with_ngrams(self, widths: Sequence[int], most: int | None = None) -> "TokenRows":
        return TokenRows([grams(row, widths, most) for row in self.rows], self.shape)

    def tokens(self) -> list[bytes]:
        """Returns all tokens in their order."""
        return list(itertools.chain.from_iterable(self.rows))

    def flat(self) -> np.ndarray:
        """Returns all tokens in their order as an array, (n,)."""
        tokens = self.tokens()
        found = np.empty(len(tokens), object)
        found[:] = tokens
        return found


def grams(row: Sequence[bytes], widths: Sequence[int], most: int | None = None) -> list[bytes]:
    """Returns the neighbours in a row, joined by spaces: for each width, as many as there are, or at least the first `most`."""
    found: list[bytes] = []
    for width in widths:
        if most is not None:
            row = row[: max(most - len(found), 0) + width - 1]
        found += row if width == 1 else map(b" ".join, zip(*(row[start:] for start in range(width)), strict=False))
    return found


def split_rows(texts: np.ndarray, split: Callable[[bytes], list[bytes]]) -> TokenRows:
    """Returns what `split` makes of each text."""
    return TokenRows([split(text) for text in texts.ravel().tolist()], texts.shape)


def rows_of(tokens: Any, widths: Sequence[int] | None) -> np.ndarray:
    """Returns the n-grams of each row of an array of tokens, or the array without `widths`."""
    return tokens if widths is None else np.asarray(ngrams(tokens, list(widths)))
