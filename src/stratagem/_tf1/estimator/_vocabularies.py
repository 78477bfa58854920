"""Vocabularies of warm starts: rows of a table that move to the places that their words have in another vocabulary."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._base.errors import CheckpointError
from stratagem._base.exports import exported
from stratagem._base.paths import file_errors
from stratagem._base.storage import checked_path, file_system


@exported("estimator.VocabInfo", v1=["estimator.VocabInfo", "train.VocabInfo"])
@final
@dataclass(frozen=True)
class VocabInfo:
    """The vocabularies of a variable that starts with values from a checkpoint, as `tf.estimator.VocabInfo`.

    A word's row, or column, gets the values of the same word in the checkpoint's variable.

    new_vocab, old_vocab: files with a word in each line, of the new variable and of the checkpoint's. new_vocab_size: how many
    words count; with num_oov_buckets they are the size of the variable. old_vocab_size: likewise, -1 means all.
    backup_initializer: takes a shape and a dtype; makes the values of the words that are new, and of the buckets, by default 0.
    axis: 0 if rows are words, 1 if columns are, as in the last layer of a classifier.

    Raises ValueError for another axis, and for a size that is not positive.
    """

    new_vocab: str | os.PathLike[str]
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str | os.PathLike[str]
    old_vocab_size: int = -1
    backup_initializer: Callable[..., Any] | None = None
    axis: int = 0

    def __post_init__(self) -> None:
        for name in ("new_vocab", "old_vocab"):
            object.__setattr__(self, name, checked_path(getattr(self, name)))
        if self.axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1. Provided axis: {self.axis}")
        if self.new_vocab_size < 1 or self.num_oov_buckets < 0 or self.old_vocab_size == 0:
            raise ValueError(
                "VocabInfo: new_vocab_size must be positive, num_oov_buckets not negative, and old_vocab_size positive or -1, "
                f"got {self.new_vocab_size}, {self.num_oov_buckets} and {self.old_vocab_size}."
            )

    def moved(self, saved: np.ndarray, shape: tuple[int, ...], dtype: np.dtype, name: str) -> np.ndarray:
        """Returns the value of a new variable of this shape, with the saved rows in their new places.

        name: of the variable, for errors. Raises NotFoundError without the files, ValueError if a vocabulary is shorter than
        its size, CheckpointError if a variable has another size than its vocabulary.
        """
        size = self.new_vocab_size + self.num_oov_buckets
        fixed = 1 - self.axis
        if self.axis >= len(shape) or shape[self.axis] != size or saved.ndim != len(shape):
            raise CheckpointError(
                f"Warm start: {name} has the shape {shape}, in the checkpoint {saved.shape}, and its VocabInfo says that "
                f"dimension {self.axis} has {self.new_vocab_size} words and {self.num_oov_buckets} buckets."
            )
        if len(shape) > 1 and saved.shape[fixed] != shape[fixed]:
            raise CheckpointError(
                f"Warm start: {name} has the shape {shape}, in the checkpoint {saved.shape}: they differ in dimension {fixed}, "
                "which is not that of the vocabulary."
            )
        old = _words(str(self.old_vocab), self.old_vocab_size, name)
        new = _words(str(self.new_vocab), self.new_vocab_size, name)
        if len(old) > saved.shape[self.axis]:
            raise CheckpointError(
                f"Warm start: {name} has {saved.shape[self.axis]} words in the checkpoint, and old_vocab {self.old_vocab} has "
                f"{len(old)}. Give VocabInfo the old_vocab_size."
            )
        places = {word: place for place, word in enumerate(old)}
        known = [(n, places[word]) for n, word in enumerate(new) if word in places]
        found = self._backup(shape, dtype)
        values, rows = np.moveaxis(found, self.axis, 0), np.moveaxis(saved, self.axis, 0)  # views
        if known:
            into, out_of = map(list, zip(*known, strict=True))
            values[into] = rows[out_of]
        return found

    def _backup(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        if self.backup_initializer is None:
            return np.zeros(shape, dtype)
        made: Any = self.backup_initializer(shape, dtype=dtype)
        return np.array(made, dtype)


def _words(path: str, size: int, name: str) -> list[bytes]:
    """Returns the first words of a file; with a size of -1 all."""
    with file_errors(path):
        words = file_system(path).read(path).splitlines()
    if size > len(words):
        raise ValueError(f"Warm start: {path}, the vocabulary of {name}, has {len(words)} words, fewer than {size}.")
    return words if size < 0 else words[:size]
