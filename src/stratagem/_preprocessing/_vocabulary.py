"""Vocabularies: what a layer may be given as one, and the file in which a saved model keeps it."""

import collections
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._ops import as_dtype

_MOST_OOV = 1 << 22
_LINES, _LIST = "vocabulary.txt", "vocabulary.json"


def check_arguments(
    label: str, mode: str, max_tokens: int | None, oov: int, pad: bool, invert: bool, idf_weights: Any
) -> None:
    """Raises ValueError for arguments that do not fit together."""
    if max_tokens is not None and max_tokens <= 1:
        raise ValueError(f"{label}: `max_tokens` must be greater than 1, got {max_tokens}.")
    if pad and max_tokens is None:
        raise ValueError(f"{label}: pad_to_max_tokens=True needs `max_tokens`, got None.")
    if not 0 <= oov <= _MOST_OOV:
        raise ValueError(f"{label}: `num_oov_indices` must not be negative, nor larger than {_MOST_OOV}, got {oov}.")
    if invert and mode != "int":
        raise ValueError(f"{label}: `output_mode` must be 'int' with invert=True, got {mode!r}.")
    if idf_weights is not None and mode != "tf_idf":
        raise ValueError(f"{label}: `idf_weights` is only for output_mode='tf_idf', not {mode!r}.")


def as_tokens(vocabulary: Any, dtype: str, encoding: str) -> np.ndarray:
    """Returns words as an array, (n,): bytes objects, or integers of this dtype. Raises ValueError for an empty vocabulary."""
    listed = np.asarray(vocabulary).ravel().tolist() if not isinstance(vocabulary, list | tuple) else list(vocabulary)
    if not listed:
        raise ValueError(f"Cannot set an empty vocabulary, got {vocabulary!r}.")
    if dtype != "string":
        return np.array(listed, as_dtype(dtype).dtype)
    tokens = np.empty(len(listed), object)
    tokens[:] = [token if isinstance(token, bytes) else str(token).encode(encoding) for token in listed]
    return tokens


def without_special_tokens(
    tokens: np.ndarray, special: Sequence[Any], mask: Any, oov: Any, max_tokens: int | None
) -> tuple[np.ndarray, bool]:
    """Returns the words after the special tokens, with which a vocabulary may begin, and whether it does.

    special: the mask and the tokens of unknown words, in their order. mask, oov: tokens that no word may be, or None.
    max_tokens: how many tokens there may be, special ones included. Raises ValueError for what is no vocabulary.
    """
    found = tokens[: len(special)].tolist() == list(special)
    words = tokens[len(special) :] if found else tokens
    repeated = [word for word, count in collections.Counter(words.tolist()).items() if count > 1]
    if repeated:
        raise ValueError(f"The vocabulary has terms that are repeated: {repeated[:10]}. Give each once.")
    for what, token in (("mask", mask), ("OOV", oov)):
        if token is not None and token in words.tolist():
            place = len(tokens) - 1 - tokens.tolist()[::-1].index(token)
            raise ValueError(
                f"The reserved {what} token {token!r} is at place {place} of the vocabulary. Leave the special tokens out, or "
                f"give them at its start, in this order: {list(special)}."
            )
    size = len(special) + len(words)
    if max_tokens is not None and size > max_tokens:
        raise ValueError(f"The vocabulary has {size} tokens with the special ones, more than max_tokens={max_tokens}.")
    return words, found


def padded_weights(weights: Any, count: int, found: bool, front: int, size: int | None) -> np.ndarray:
    """Returns weights of the words as weights of all tokens: the mean for special tokens, zero for those that do not exist.

    count: the number of words and special tokens that were given. found: whether the special ones were among them. front: how
    many special ones there are. size: the number of weights to return; None is all tokens. Raises ValueError for
    another number of weights.
    """
    array = np.asarray(weights)
    if array.ndim != 1 or len(array) != count:
        raise ValueError(f"`idf_weights` has one number for each of {count} terms, got shape {list(array.shape)}.")
    before = 0 if found else front
    after = 0 if size is None else size - before - len(array)
    return np.concatenate([np.full(before, np.average(array)), array, np.zeros(after)])


def listed(value: Any) -> Any:
    """Returns an array, a tensor or a tuple as a list, which a config can have; anything else as it is."""
    if value is None or isinstance(value, str | int | float):
        return value
    found = np.asarray(value).tolist() if not isinstance(value, list | tuple) else list(value)
    return [item.decode() if isinstance(item, bytes) else item for item in found]


def lines_of_words(words: np.ndarray) -> list[Any]:
    """Returns the words of a file as a configuration has them: integers, or texts with any byte that is not UTF-8."""
    return [word.decode(errors="surrogateescape") if isinstance(word, bytes) else word for word in words.tolist()]


def words_of_lines(lines: Sequence[Any], dtype: str) -> np.ndarray:
    """Returns the words that `lines_of_words` returned these for, (n,)."""
    if dtype != "string":
        return np.array(lines, as_dtype(dtype).dtype)
    words = np.empty(len(lines), object)
    words[:] = [line.encode(errors="surrogateescape") for line in lines]
    return words


def save_vocabulary(folder: str, tokens: Sequence[Any]) -> None:
    """Writes a vocabulary into the folder of a saved layer: lines, as TensorFlow, or a list if a word has an end of line."""
    texts = [str(token) for token in tokens]
    if any("\n" in text for text in texts):
        Path(folder, _LIST).write_text(json.dumps(texts), encoding="utf-8")
    else:
        Path(folder, _LINES).write_bytes("\n".join(texts).encode())


def load_vocabulary(folder: str, dtype: str) -> list[Any]:
    """Reads what `save_vocabulary` has written, strings or integers. Raises DataLossError for anything else."""
    listed = Path(folder, _LIST)
    try:
        texts = json.loads(listed.read_text("utf-8")) if listed.exists() else _lines(folder)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError("it is not a list of texts")
        return texts if dtype == "string" else [int(text) for text in texts]
    except (ValueError, RecursionError) as error:
        raise DataLossError(f"The vocabulary of a layer is damaged: {error}") from error


def _lines(folder: str) -> list[str]:
    return Path(folder, _LINES).read_bytes().decode().split("\n")
