"""Brackets after a ragged tensor: parts of it by the numbers of rows, and by slices."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import CompositeTensor
from stratagem._ops._convert import static_int
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._padding import taken
from stratagem._ops.ragged._row_splits import known

_WHOLE = slice(None)
_HINT = "what brackets choose"


def chosen(ragged: Any, key: Any) -> Any:
    """Returns the part of a ragged tensor that brackets choose: a RaggedTensor, or a tensor if no ragged dimension is left.

    A ragged dimension other than the first takes slices alone: what is at a number would be missing in short rows.

    Raises:
        ValueError: a number chooses in an inner ragged dimension, or there are more keys than dimensions.
        TypeError: a key is no number, slice, None or `...`.
        InvalidArgumentError: there is no row of a number.
    """
    keys = list(key) if isinstance(key, tuple) else [key]
    for each in keys:
        _check(each)
    return _rows(ragged, _without_dots(keys, len(ragged.shape)))


def _check(key: Any) -> None:
    if key is None or isinstance(key, int | slice) or key is Ellipsis:
        return
    if (
        isinstance(key, CompositeTensor | str | bytes | list | float)
        or np.ndim(key)
        or np.dtype(key.dtype).kind not in "iu"
    ):
        raise TypeError(f"A RaggedTensor takes numbers, slices, None and ... between brackets, got {key!r:.100}.")


def _without_dots(keys: list[Any], rank: int) -> list[Any]:
    """The keys with whole slices in place of `...`."""
    places = [i for i, key in enumerate(keys) if key is Ellipsis]
    dimensions = sum(key is not None and key is not Ellipsis for key in keys)
    if dimensions > rank or len(places) > 1:
        raise ValueError(f"A RaggedTensor of rank {rank} takes no such part: {keys!r:.200}.")
    if not places:
        return keys
    return [*keys[: places[0]], *[_WHOLE] * (rank - dimensions), *keys[places[0] + 1 :]]


def _is_ragged(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _number(key: Any) -> int:
    return static_int(key, "a tensor is between the brackets of a RaggedTensor")


def _slice(key: slice) -> slice:
    return slice(*(None if part is None else _number(part) for part in (key.start, key.stop, key.step)))


def _rows(ragged: Any, keys: list[Any]) -> Any:
    """The part that the first key chooses among the rows, and the others in them."""
    if not keys:
        return ragged
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _rows(ragged, rest)
        if not _is_ragged(inner):
            return inner[None]
        rows = row_splits_.nrows(inner._splits)
        return type(ragged)(inner, row_splits_.uniform(rows, 1, inner._splits.dtype), rows)
    rows = row_splits_.nrows(ragged._splits)
    if isinstance(first, slice):
        part = ragged if first == _WHOLE else ragged.taken(np.arange(rows)[_slice(first)])
        return _columns(part, rest)
    number = _number(first)
    if not -rows <= number < rows:
        raise InvalidArgumentError(f"slice index {number} of dimension 0 out of bounds: there are {rows} rows.")
    splits = known(ragged._splits, _HINT)
    begin, end = splits[number % rows], splits[number % rows + 1]
    values = ragged.values
    row = values.taken(np.arange(begin, end)) if _is_ragged(values) else values[int(begin) : int(end)]
    return row[tuple(rest)] if rest else row


def _columns(ragged: Any, keys: list[Any]) -> Any:
    """The part that the keys choose in each row."""
    if not keys:
        return ragged
    if not _is_ragged(ragged):
        return ragged[(_WHOLE, *keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _columns(ragged, rest)
        if not _is_ragged(inner):
            return inner[:, None]
        return type(ragged)(inner, row_splits_.uniform(1, row_splits_.nrows(inner._splits), inner._splits.dtype), 1)
    if isinstance(first, slice):
        part = ragged if first == _WHOLE else _sliced(ragged, _slice(first))
        return part.with_values(_columns(part.values, rest)) if rest else part
    length, number = ragged._uniform, _number(first)
    if length is None:
        raise ValueError(
            "Cannot index into an inner ragged dimension: short rows lack this value. A slice, as in x[:, 2:3], may be empty."
        )
    if not -length <= number < length:
        raise InvalidArgumentError(f"slice index {number} of rows of length {length} is out of bounds.")
    places = np.arange(row_splits_.nrows(ragged._splits)) * length + number % length
    return _columns(taken(ragged.values, places), rest)


def _sliced(ragged: Any, key: slice) -> Any:
    """A slice of every row."""
    splits = known(ragged._splits, _HINT)
    lengths, which = np.unique(row_splits_.lengths(splits), return_inverse=True)
    ranges = [range(*key.indices(int(length))) for length in lengths]
    starts = np.array([r.start for r in ranges], np.int64)[which]
    counts = np.array([len(r) for r in ranges], np.int64)[which]
    step = 1 if key.step is None else key.step
    places = np.repeat(splits[:-1] + starts, counts) + row_splits_.within(counts) * step
    new = row_splits_.from_lengths(counts.astype(splits.dtype))
    length = ragged._uniform
    return type(ragged)(taken(ragged.values, places), new, None if length is None else len(range(length)[key]))
