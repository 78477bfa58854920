"""Splits a record of comma-separated values into fields, and converts these by the types and defaults of their columns.

Python's csv module accepts quotes inside unquoted fields and does not tell where in a file a record ends.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.elements._nest import to_numpy
from stratagem._data.files._host_tensor import on_host
from stratagem._ops import DType, as_dtype

QUOTE = b'"'
_LIMITS = {np.dtype(kind): np.iinfo(kind) for kind in (np.int32, np.int64)}
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
STRING_TYPE = np.dtype(object)


class UnclosedQuote(Exception):  # internal: requests the next line
    """A quoted field does not end within the text."""


@final
@dataclass(frozen=True)
class CsvDialect:
    """The delimiters of fields."""

    delimiter: bytes
    quotes: bool

    def fields(self, line: bytes) -> list[bytes]:
        """The fields of one record, without its line end.

        Raises:
            InvalidArgumentError: a misplaced quote.
            UnclosedQuote: a quoted field does not end.
        """
        if not self.quotes or QUOTE not in line:
            return line.split(self.delimiter)
        found, at = [], 0
        while at <= len(line):
            field, at = self._field(line, at)
            found.append(field)
        return found

    def _field(self, line: bytes, start: int) -> tuple[bytes, int]:
        """The field that starts at `start`, and the start of the next one."""
        if line[start : start + 1] != QUOTE:
            end = line.find(self.delimiter, start)
            field = line[start:] if end < 0 else line[start:end]
            if QUOTE in field:
                raise InvalidArgumentError("Unquoted fields cannot have quotes inside")
            return field, start + len(field) + 1
        end = line.find(QUOTE, start + 1)
        while end >= 0 and line[end + 1 : end + 2] == QUOTE:
            end = line.find(QUOTE, end + 2)
        if end < 0:
            raise UnclosedQuote
        if line[end + 1 : end + 2] not in (b"", self.delimiter):
            raise InvalidArgumentError("Quote inside a string has to be escaped by another quote")
        return line[start + 1 : end].replace(b'""', QUOTE), end + 2


def dialect(field_delim: Any, use_quote_delim: Any) -> CsvDialect:
    """The dialect for the two usual arguments.

    Raises:
        InvalidArgumentError: the delimiter is not one byte.
    """
    delimiter = to_numpy(field_delim).item()
    if not isinstance(delimiter, bytes) or len(delimiter) != 1:
        raise InvalidArgumentError(f"field_delim should be only 1 char, got {field_delim!r}.")
    return CsvDialect(delimiter, bool(use_quote_delim))


@final
@dataclass(frozen=True)
class CsvColumn:
    """A column's number in the file, its dtype, and the default value; None: a value is required."""

    number: int
    dtype: np.dtype[Any]
    default: Any

    def value(self, field: bytes, na_value: bytes) -> Any:
        """Converts a field to a number, or returns it unchanged.

        Raises:
            InvalidArgumentError: a required value is missing, or of another type.
        """
        if field in (b"", na_value):
            if self.default is None:
                raise InvalidArgumentError(f"Field {self.number} is required but missing in record")
            return self.default
        if self.dtype == STRING_TYPE:
            return field
        try:
            return number_of(field, self.dtype)
        except ValueError:
            shown = field.decode(errors="replace")
            raise InvalidArgumentError(
                f"Field {self.number} in record is not a valid {self.dtype.name}: {shown}"
            ) from None


def columns(record_defaults: Any, numbers: Sequence[int] | None = None) -> tuple[CsvColumn, ...]:
    """Makes columns from dtypes (a value is required), or from default values, alone or in lists; one per column.

    Raises:
        TypeError, ValueError: something else was given.
    """
    places = range(len(record_defaults)) if numbers is None else numbers
    return tuple(_column(i, given) for i, given in zip(places, record_defaults, strict=True))


def _column(number: int, given: Any) -> CsvColumn:
    required = isinstance(given, DType | np.dtype | type)
    array = np.empty(0, as_dtype(given).dtype) if required else on_host(given, "record_defaults")
    if array.dtype not in (*_LIMITS, *_FLOATS, STRING_TYPE) or array.size > 1:
        raise ValueError(
            f"record_defaults[{number}] is {given!r:.100}: give float32, float64, int32, int64 or string for a column that "
            "is required, else one default value of these types."
        )
    return CsvColumn(number, array.dtype, array.ravel()[0] if array.size else None)


def number_of(field: bytes, dtype: np.dtype[Any]) -> Any:
    """Converts a field to a Python number that `dtype` can hold. Raises ValueError if that is impossible."""
    if b"_" in field or b"+" in field[:1]:
        raise ValueError  # Python accepts these as numbers, TensorFlow does not
    if dtype in _FLOATS:
        return float(field)
    value, limits = int(field), _LIMITS[dtype]
    if not limits.min <= value <= limits.max:
        raise ValueError
    return value


def checked_selection(select_cols: Any, record_defaults: Any) -> list[int] | None:
    """Column numbers, strictly increasing, one for each default; None selects all.

    Raises:
        InvalidArgumentError: the numbers are invalid.
    """
    if not isinstance(record_defaults, list | tuple):
        raise TypeError(f"`record_defaults` must be a list, got {type(record_defaults).__name__}.")
    if select_cols is None:
        return None
    chosen = [int(i) for i in select_cols]
    if any(i < 0 for i in chosen) or any(b <= a for a, b in itertools.pairwise(chosen)):
        raise InvalidArgumentError(f"select_cols should be strictly increasing indices, got {chosen}.")
    if len(chosen) != len(record_defaults):
        raise InvalidArgumentError(
            f"select_cols should match output size: {len(chosen)} columns, {len(record_defaults)} record_defaults."
        )
    return chosen
