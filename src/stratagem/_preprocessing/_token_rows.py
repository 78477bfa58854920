"""Rows of tokens, of different lengths: what texts are split into."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._ops import on_device
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.text import ngrams


@final
@dataclass(frozen=True)
class TokenRows:
    """Rows of bytes objects. shape: that of the texts, of which each is a row."""

    rows: list[list[bytes]]
    shape: tuple[int, ...]

    def with_ngrams(self, widths: Sequence[int]) -> "TokenRows":
        """Returns the rows with their n-grams of these widths, one width after the other, in place of the tokens."""
        return TokenRows([grams(row, widths) for row in self.rows], self.shape)

    def flat(self) -> np.ndarray:
        """Returns all tokens in their order, (n,)."""
        tokens = [token for row in self.rows for token in row]
        found = np.empty(len(tokens), object)
        found[:] = tokens
        return found

    def row_numbers(self) -> np.ndarray:
        """Returns the row of each token, (n,)."""
        return np.repeat(np.arange(len(self.rows)), [len(row) for row in self.rows])

    def ragged(self, entries: np.ndarray) -> RaggedTensor:
        """Returns an entry for each token as a ragged tensor, (*shape, (tokens))."""
        made = RaggedTensor.from_row_lengths(on_device(entries), np.array([len(row) for row in self.rows], np.int64))
        for size in self.shape[:0:-1]:
            made = RaggedTensor.from_uniform_row_length(made, size)
        return made

    def padded(self, numbers: np.ndarray, length: int | None) -> np.ndarray:
        """Returns a number for each token as an array, (*shape, length), cut or filled up with 0; None is the longest."""
        sizes = np.array([len(row) for row in self.rows], int)
        width = int(sizes.max(initial=0)) if length is None else length
        inside = np.arange(width) < sizes[:, None]
        found = np.zeros((len(self.rows), width), numbers.dtype)
        places = np.concatenate([np.arange(size) for size in sizes]) if len(sizes) else np.zeros(0, int)
        found[inside] = numbers[places < width]
        return found.reshape((*self.shape, width))


def grams(row: Sequence[bytes], widths: Sequence[int]) -> list[bytes]:
    """Returns the neighbours in a row, joined by spaces: for each width, as many as there are."""
    return [b" ".join(row[i : i + width]) for width in widths for i in range(len(row) - width + 1)]


def split_rows(texts: np.ndarray, split: Callable[[bytes], list[bytes]]) -> TokenRows:
    """Returns what `split` makes of each text."""
    return TokenRows([split(text) for text in texts.ravel().tolist()], texts.shape)


def rows_of(tokens: Any, widths: Sequence[int] | None) -> np.ndarray:
    """Returns the n-grams of each row of an array of tokens, or the array without `widths`."""
    return tokens if widths is None else np.asarray(ngrams(tokens, list(widths)))
