"""Infers the names and types of columns from the first records of files of comma-separated values."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._data.files._bytes import open_bytes
from stratagem._data.files._csv_fields import STRING_TYPE, CsvDialect, number_of
from stratagem._data.files._csv_format import cut_records
from stratagem._data.files._format import RecordPosition

_PIECE = 1 << 16
_INTEGERS = (np.int32, np.int64)
_FLOATS = (np.float32, np.float64)
_TYPES = [np.dtype(t) for t in (*_INTEGERS, *_FLOATS, object)]  # the narrowest first


@final
@dataclass(frozen=True)
class CsvSchemaInference:
    """Files from whose first records facts are inferred."""

    files: tuple[str, ...]
    dialect: CsvDialect
    compression: str
    header: bool

    def names(self, given: Sequence[str] | None, encoding: str) -> list[str]:
        """The names of the columns: the given ones, or those in the headers, which must be equal.

        Raises:
            ValueError: there are none, headers differ, or a name is repeated.
        """
        if given is None and not self.header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        headers = [self._header(file, encoding) for file in self.files] if given is None else [list(given)]
        names = headers[0]
        for file, others in zip(self.files, headers, strict=False):
            if others != names:
                raise ValueError(
                    f"All input CSV files should have the same column names in the header row. File {file} has "
                    f"different column names: {others} and not {names}."
                )
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(
                f"Either `column_names` argument or CSV header row contains duplicate column names: {twice}."
            )
        return names

    def defaults(self, chosen: Sequence[int], total: int, na_value: bytes, rows: int | None) -> list[Any]:
        """Zero or "" in the narrowest type that can hold all values of a column in the first `rows` records (None: all).

        Raises:
            ValueError: a record cannot be read, or does not have `total` fields.
        """
        types = [-1] * len(chosen)
        records = (record for file in self.files for record in self._rows(file))
        for file, line, fields in itertools.islice(records, rows):
            if len(fields) != total:
                raise ValueError(
                    f"Problem inferring types: CSV row {line} of {file} has {len(fields)} number of fields. "
                    f"Expected: {total}."
                )
            given = [fields[i] for i in chosen]
            types = [t if f in (b"", na_value) else _type_of(f, t) for t, f in zip(types, given, strict=True)]
        # A column without any value is a string: index -1 is the last of the types.
        return [b"" if _TYPES[t] == STRING_TYPE else np.zeros((), _TYPES[t]) for t in types]

    def _header(self, file: str, encoding: str) -> list[str]:
        for _, fields in self._records(file):
            try:
                return [name.decode(encoding) for name in fields]
            except UnicodeDecodeError as error:
                raise ValueError(f"The header line of {file} is not {encoding}: {error}.") from None
        raise ValueError(f"Failed when reading the header line of {file}. Is it an empty file?")

    def _rows(self, file: str) -> Iterator[tuple[str, int, list[bytes]]]:
        numbered = ((file, line, fields) for line, fields in self._records(file))
        return itertools.islice(numbered, int(self.header), None)

    def _records(self, file: str) -> Iterator[tuple[int, list[bytes]]]:
        """The records of a file with their numbers, counted from 1."""
        source = open_bytes(file, self.compression, 0)
        count = 0
        try:
            data, last = b"", False
            while not last:
                fresh = source.read(max(_PIECE, len(data)))
                data, last = data + fresh, not fresh
                for size, fields in cut_records(data, self.dialect, last=last):
                    if isinstance(fields, Exception):
                        raise ValueError(f"CSV row {count + 1} of {file} cannot be read: {fields}.") from fields
                    count += 1
                    yield count, fields
                    data = data[size:]
        except DataLossError as error:
            raise RecordPosition(file, count).lost(str(error)) from error
        finally:
            source.close()


def _type_of(value: bytes, narrowest: int) -> int:
    """The first type, from `narrowest` on, that can hold a value."""
    return next(i for i in range(max(narrowest, 0), len(_TYPES)) if _can_hold(_TYPES[i], value))


def _can_hold(dtype: np.dtype[Any], value: bytes) -> bool:
    if dtype == STRING_TYPE:
        return True
    try:
        number = number_of(value, dtype)
    except ValueError:
        return False
    with np.errstate(over="ignore"):
        return bool(np.asarray(number, dtype) < np.inf)
