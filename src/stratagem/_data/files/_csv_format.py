"""Comma-separated values, in files and in strings with one record each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import entrywise, host_function
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, to_numpy
from stratagem._data.files._csv_fields import (
    QUOTE,
    STRING_TYPE,
    CsvColumn,
    CsvDialect,
    UnclosedQuote,
    checked_selection,
    columns,
    dialect,
)
from stratagem._data.files._format import Damage, Format, FoundRecords, RecordPosition, strings
from stratagem._data.files._host_tensor import numbers, text

Fields = list[bytes] | InvalidArgumentError


@final
@dataclass(frozen=True)
class CsvFormat(Format):
    """Records of comma-separated values as tuples of scalars, one for each of the columns.

    total: the number of fields of a record; None: at least up to the last column.
    """

    dialect: CsvDialect
    columns: tuple[CsvColumn, ...]
    total: int | None
    header: bool
    na_value: bytes
    _spec: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.__dict__["_spec"] = tuple(TensorSpec((), column.dtype) for column in self.columns)

    @property
    def spec(self) -> Any:
        return self._spec

    def check(self, file: str, size: int) -> None:
        if self.header and size == 0:
            raise InvalidArgumentError(f"Can't read header of file {file}: it is empty.")

    def cut(self, data: bytes, place: RecordPosition, *, last: bool) -> FoundRecords:
        rows: list[list[Any]] = []
        sizes: list[int] = []
        # The header goes with the first record.
        header, taken = self.header and place.offset == 0, 0
        for size, fields in cut_records(data, self.dialect, last=last):
            taken += size
            if header:
                header = False
                continue
            try:
                rows.append(self.values(fields))
            except InvalidArgumentError as error:
                here = place.on(len(rows), sum(sizes))
                located = InvalidArgumentError(f"{error}: record {here.record} of {here.file}, at byte {here.offset}.")
                return FoundRecords(_tuples(rows, self.columns), sizes, Damage(located, taken))
            sizes.append(taken)
            taken = 0
        return FoundRecords(_tuples(rows, self.columns), sizes)

    def values(self, fields: Fields) -> list[Any]:
        """The values of a record, one for each column.

        Raises:
            InvalidArgumentError: it could not be split into fields, has the wrong number of them, or an invalid one.
        """
        if isinstance(fields, InvalidArgumentError):
            raise fields
        min_fields = self.columns[-1].number + 1 if self.total is None else self.total
        if len(fields) < min_fields:
            raise InvalidArgumentError(f"Expect {min_fields} fields but have {len(fields)} in record")
        if self.total is not None and len(fields) > self.total:
            raise InvalidArgumentError(f"Expect {self.total} fields but have more in record")
        return [column.value(fields[column.number], self.na_value) for column in self.columns]


def cut_records(data: bytes, dialect: CsvDialect, *, last: bool) -> Iterator[tuple[int, Fields]]:
    """Yields the size and the fields of every complete record at the start of the data; an error for misplaced quotes."""
    lines = data.splitlines(keepends=True)  # at every line end: \n, \r\n, \r
    # A carriage return at the very end may be the first half of a line end.
    if lines and not last and not lines[-1].endswith(b"\n"):
        lines.pop()
    at = 0
    while at < len(lines):
        record, at = lines[at], at + 1
        fields: Fields | None = None
        while fields is None:
            try:
                fields = dialect.fields(record.rstrip(b"\r\n"))
            except InvalidArgumentError as error:
                fields = error
            except UnclosedQuote:
                # The next line with a quote may close it.
                end = next((i for i in range(at, len(lines)) if QUOTE in lines[i]), len(lines))
                if end == len(lines) and not last:
                    return
                if end == len(lines):
                    fields = InvalidArgumentError("Reached end of file without closing quoted field in record")
                record, at = b"".join([record, *lines[at : end + 1]]), end + 1
        yield len(record), fields


def _tuples(rows: list[list[Any]], columns: tuple[CsvColumn, ...]) -> list[Any]:
    """Converts rows to tuples of read-only scalars; each column is one array, which is cheaper than one array per field."""
    if not rows:
        return []
    parts = [
        _scalars(list(values), column.dtype) for values, column in zip(zip(*rows, strict=True), columns, strict=True)
    ]
    return list(zip(*parts, strict=True))


def _scalars(values: list[Any], dtype: np.dtype[Any]) -> list[Array]:
    if dtype == STRING_TYPE:
        return strings(values)
    with np.errstate(over="ignore"):  # 1e39 is inf in float32, as in TensorFlow
        block = np.array(values, dtype)
    block.setflags(write=False)
    return [block[i, ...] for i in range(len(block))]


@exported("io.decode_csv", v1=())
@host_function
@entrywise
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: Any = ",",
    use_quote_delim: bool = True,
    na_value: Any = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Parses strings with one record each; returns one tensor per column, of the shape of `records`.

    record_defaults: a list of default values, one per column; an empty list or a dtype makes a column required.

    Raises:
        InvalidArgumentError: a field is missing or of another type, or a record has another number of fields.
    """
    array = text(records, "decode_csv")
    chosen = columns(record_defaults, checked_selection(select_cols, record_defaults))
    total = len(chosen) if select_cols is None else None
    table = CsvFormat(dialect(field_delim, use_quote_delim), chosen, total, False, to_numpy(na_value).item())
    rows = [_decoded(table, i, line) for i, line in enumerate(array.ravel().tolist())]
    made = [np.empty(len(rows), column.dtype) for column in chosen]
    with np.errstate(over="ignore"):
        for number, column in enumerate(made):
            column[:] = [row[number] for row in rows]
    return [numbers(column.reshape(array.shape)) for column in made]


def _decoded(table: CsvFormat, number: int, line: bytes) -> list[Any]:
    try:
        if (b"\n" in line or b"\r" in line) and _ends_a_line(line, table.dialect):
            raise InvalidArgumentError("Unquoted fields cannot have quotes/CRLFs inside")
        return table.values(table.dialect.fields(line) if line else [])
    except UnclosedQuote:
        raise InvalidArgumentError(f"A quoted field is not closed: record {number}.") from None
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{error}: record {number}.") from None


def _ends_a_line(line: bytes, dialect: CsvDialect) -> bool:
    """Returns whether there is a line end outside of quotes."""
    outside = line.split(QUOTE)[::2] if dialect.quotes else [line]
    return any(b"\n" in part or b"\r" in part for part in outside)
