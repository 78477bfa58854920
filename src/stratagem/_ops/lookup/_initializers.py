"""Initializers of static tables: keys and values from tensors, or from the lines of a text file."""

import abc
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError, OutOfRangeError
from stratagem._base.exports import exported
from stratagem._base.paths import file_errors
from stratagem._base.storage import checked_path, file_system
from stratagem._base.types import DTypeLike, PathLike
from stratagem._ops._convert import is_traced, need_value, tensor
from stratagem._ops._dtypes import DType, as_dtype, int64


class TableInitializer(abc.ABC):
    """The keys and values of a table."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @abc.abstractmethod
    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the keys and the values, (n,) each."""


@exported("lookup.KeyValueTensorInitializer")
@final
class KeyValueTensorInitializer(TableInitializer):
    """Keys and values of two tensors of one shape."""

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        found = [tensor(given, dtype) for given, dtype in ((keys, key_dtype), (values, value_dtype))]
        if is_traced(found):
            need_value("a table is made of it")
        self._keys, self._values = map(np.asarray, found)
        super().__init__(self._keys.dtype, self._values.dtype)

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the keys and the values. Raises InvalidArgumentError for other shapes, and for none."""
        if self._keys.shape != self._values.shape or not self._keys.size:
            raise InvalidArgumentError(
                f"A table takes one key or more and as many values, got keys of shape {list(self._keys.shape)} and values of "
                f"shape {list(self._values.shape)}."
            )
        return self._keys.ravel(), self._values.ravel()


@final
class NoEntries(TableInitializer):
    """No keys at all, for the table of a vocabulary that is not known yet."""

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns empty arrays."""
        return np.zeros(0, self.key_dtype.dtype), np.zeros(0, self.value_dtype.dtype)


@exported("lookup.TextFileIndex")
@final
class TextFileIndex:
    """The places of a key or value in a text file that are no column."""

    WHOLE_LINE: ClassVar[int] = -2
    LINE_NUMBER: ClassVar[int] = -1


@exported("lookup.TextFileInitializer")
@final
class TextFileInitializer(TableInitializer):
    """Keys and values from the lines of a file: columns, whole lines, or their numbers from 0.

    key_index, value_index: a column, or a TextFileIndex. vocab_size: how many lines are read; None is all.
    value_index_offset: added to line numbers. Raises ValueError for places and dtypes that do not fit together.
    """

    def __init__(
        self,
        filename: PathLike,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if isinstance(filename, str | bytes) and not filename:
            raise ValueError("tf.lookup.TextFileInitializer takes the name of a file, got an empty one.")
        super().__init__(key_dtype, value_dtype)
        _check_place("key", key_index, self.key_dtype)
        _check_place("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"tf.lookup.TextFileInitializer reads one line or more, got vocab_size={vocab_size}.")
        self._path, self._places = checked_path(filename), (key_index, value_index)
        self._count, self._delimiter, self._offset = vocab_size, delimiter, value_index_offset

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Reads the file.

        Raises:
            NotFoundError: there is no such file.
            OutOfRangeError: the file is empty.
            InvalidArgumentError: a line lacks a column or is empty, a column is no number, or there are fewer lines than
                `vocab_size`.
        """
        with file_errors(self._path):
            lines = _lines(file_system(self._path).read(self._path))
        if not lines:
            raise OutOfRangeError(f"{self._path} has no lines of which a table could be made.")
        if self._count is not None:
            if len(lines) < self._count:
                raise InvalidArgumentError(f"{self._path} has {len(lines)} lines, fewer than vocab_size={self._count}.")
            lines = lines[: self._count]
        keys, values = (
            _column(list(self._cells(lines, place)), dtype)
            for place, dtype in zip(self._places, (self.key_dtype, self.value_dtype), strict=True)
        )
        return keys, values

    def _cells(self, lines: list[bytes], place: int) -> Iterator[Any]:
        """Yields what is at this place of every line: its number, or text."""
        separator = self._delimiter.encode()
        for number, line in enumerate(lines):
            if not line:
                raise InvalidArgumentError(f"{self._path}, line {number + 1}: the line is empty.")
            if place == TextFileIndex.LINE_NUMBER:
                yield number + self._offset
                continue
            columns = [line] if place == TextFileIndex.WHOLE_LINE else line.split(separator)
            column = max(place, 0)
            if column >= len(columns):
                raise InvalidArgumentError(
                    f"{self._path}, line {number + 1}: column {place} was asked for, but there are {len(columns)} columns "
                    f"between {self._delimiter!r}: {line!r:.100}"
                )
            yield columns[column]


def _check_place(what: str, place: int, dtype: DType) -> None:
    """Raises ValueError for a place that does not exist, or that has no values of this dtype."""
    if place < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{what}_index` is a column from 0 or a tf.lookup.TextFileIndex, got {place}.")
    if place == TextFileIndex.LINE_NUMBER and dtype != int64:
        raise ValueError(f"The number of a line is int64, got {what}_dtype={dtype.name}.")
    if place == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype.name == "string"):
        raise ValueError(f"A whole line is a string or an integer, got {what}_dtype={dtype.name}.")


def _lines(content: bytes) -> list[bytes]:
    """The lines of a file, whose ends may also be those of Windows; nothing follows the last end."""
    lines = content.replace(b"\r", b"").split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def _column(cells: list[Any], dtype: DType) -> np.ndarray:
    """Returns cells, bytes or numbers, as an array of this dtype. Raises InvalidArgumentError for text that is no number."""
    found = np.empty(len(cells), dtype.dtype)
    if dtype.name == "string":
        found[:] = cells
        return found
    parse: Callable[[Any], Any] = int if dtype.is_integer else float
    for place, cell in enumerate(cells):
        try:
            found[place] = parse(cell)
        except (ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"Line {place + 1} of a table's file: {cell!r} is no {dtype.name}.") from error
    return found
