"""Counts of tokens in data, from which a vocabulary is chosen."""

import collections
from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np


@final
class TokenCounts:
    """The counts of tokens, and of the documents that have them."""

    def __init__(self, *, documents: bool) -> None:
        """documents: whether documents are counted."""
        self._tokens: collections.Counter[Any] = collections.Counter()
        self._in_documents: collections.Counter[Any] = collections.Counter()
        self._documents, self._counts_documents = 0, documents

    def __len__(self) -> int:
        return len(self._tokens)

    def documents(self) -> np.ndarray:
        """Returns the number of documents, () int64, if they are counted."""
        return np.array(self._documents, np.int64)

    def set_documents(self, number: np.ndarray) -> None:
        """Goes on from this number of documents."""
        self._documents = int(number)

    def add(self, documents: Iterable[Sequence[Any]]) -> None:
        """Counts the tokens of further documents."""
        for document in documents:
            self._tokens.update(document)
            if self._counts_documents:
                self._in_documents.update(set(document))
                self._documents += 1

    def chosen(self, without: Sequence[Any], most: int | None) -> list[Any]:
        """Returns the most frequent tokens, at most this many; among equally frequent ones the largest comes first."""
        pairs = [(count, token) for token, count in self._tokens.items() if token not in without]
        return [token for _, token in sorted(pairs, reverse=True)][:most]

    def inverse_document_frequencies(self, tokens: Sequence[Any]) -> np.ndarray:
        """Returns log(1 + documents / (1 + documents with the token)) of each token, float64."""
        counts = np.array([self._in_documents[token] for token in tokens], np.float64)
        return np.log(1.0 + self._documents / (1.0 + counts))

    def clear(self) -> None:
        """Forgets all counts."""
        self._tokens.clear()
        self._in_documents.clear()
        self._documents = 0

    def state(self) -> Any:
        """Returns the counts as JSON, in the order of the tokens."""
        counters = (self._tokens, self._in_documents)
        return [
            self._documents,
            *([[as_text(token), counts[token]] for token in sorted(counts)] for counts in counters),
        ]

    def merge(self, states: Sequence[Any]) -> None:
        """Replaces the counts by the sums of several states."""
        self.clear()
        for documents, tokens, in_documents in states:
            self._documents += documents
            for counts, pairs in ((self._tokens, tokens), (self._in_documents, in_documents)):
                for token, count in pairs:
                    counts[of_text(token)] += count


def as_text(token: Any) -> Any:
    """Returns a token as JSON has it: each byte of a string is a character."""
    return token.decode("latin-1") if isinstance(token, bytes) else token


def of_text(token: Any) -> Any:
    """Returns the token that `as_text` returned this for."""
    return token.encode("latin-1") if isinstance(token, str) else token
