"""`SqlDataset`: the rows that a query of an SQLite database gives."""

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any, final
from urllib.parse import quote

import numpy as np

from stratagem._base.errors import InvalidArgumentError, OpError, UnknownError
from stratagem._base.exports import exported
from stratagem._base.paths import local_path
from stratagem._core.values import TensorSpec
from stratagem._data._dataset import Dataset
from stratagem._data.elements._nest import Array, leaves, map_leaves, packer
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._file_names import names_in
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage, StageIterator
from stratagem._ops import as_dtype

_TYPES = ("string", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "float64")


@exported("data.experimental.SqlDataset")
@final
class SqlDataset(Dataset):
    """The rows of a query, as nests of scalars. Values are converted as SQLite does: NULL is 0 or "".

    driver_name: "sqlite". data_source_name: the database's file. output_types: a nest of dtypes (string, bool, float64 or
    integers), one for each column. Rows come in the query's order, and a restored iterator runs the query again: name an
    order in it.

    Raises:
        InvalidArgumentError: another driver or dtype; while iterating, another number of columns.
        UnknownError: while iterating; SQLite refuses the file or the query.
    """

    def __init__(self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any) -> None:
        driver, source, text = (_text(given) for given in (driver_name, data_source_name, query))
        if driver != "sqlite":
            raise InvalidArgumentError(f"The database type, {driver}, is not supported by SqlDataset. Use sqlite.")
        dtypes = map_leaves(lambda given: as_dtype(given).dtype, output_types)
        for dtype in leaves(dtypes):
            if _name(dtype) not in _TYPES:
                raise InvalidArgumentError(f"`output_types` must be of {', '.join(_TYPES)}; got {_name(dtype)}.")
        (path,) = map(local_path, names_in(source, "data_source_name"))
        super().__init__(QueryStage(path, text, dtypes))


def _text(given: Any) -> str:
    value = given if isinstance(given, str | bytes) else np.asarray(given).item()
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"SqlDataset: {value!r:.200} is not UTF-8.") from error


def _name(dtype: Any) -> str:
    return "string" if dtype.kind == "O" else str(dtype.name)


@final
class QueryStage(Stage):
    """The rows of a query. dtypes: a nest, one for each column."""

    def __init__(self, path: str, query: str, dtypes: Any) -> None:
        self.path, self.query = path, query
        self.dtypes = dtypes

    @property
    def spec(self) -> Any:
        return map_leaves(lambda dtype: TensorSpec((), dtype), self.dtypes)

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return True

    def walk(self) -> StageIterator:
        return _QueryIterator(self)

    def example(self) -> Any:
        walk = self.walk()
        try:
            return next(walk)
        finally:
            walk.close()


@final
class _QueryIterator(StageIterator):
    """Opens the database when the first row is asked for."""

    def __init__(self, stage: QueryStage) -> None:
        super().__init__()
        self._stage = stage
        self._dtypes, self._pack = leaves(stage.dtypes), packer(stage.dtypes)
        self._position = 0
        self._rows: Iterator[tuple[Any, ...]] | None = None
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        if self._rows is None:
            self._rows = _rows(self._stage)
            for _ in range(self._position):
                next(self._rows, None)
        row = next(self._rows, None)
        if row is None:
            self.close()
            self._ended = True
            raise StopIteration
        if len(row) != len(self._dtypes):
            raise InvalidArgumentError(
                f"The number of columns in query ({len(row)}) must match the number of elements in output_types "
                f"({len(self._dtypes)})."
            )
        self._position += 1
        return self._pack(_converted(value, dtype) for value, dtype in zip(row, self._dtypes, strict=True))

    def get_state(self) -> State:
        return {"position": self._position, "ended": self._ended}

    def set_state(self, state: State) -> None:
        self.close()
        self._position, self._ended = state["position"], state["ended"]

    def close(self) -> None:
        """Closes the database."""
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.close()  # type: ignore[attr-defined]  # a generator
        super().close()


def _rows(stage: QueryStage) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of a query; the database is open, for reading, until they end or the generator is closed."""
    try:
        connection = sqlite3.connect(f"file:{quote(stage.path)}?mode=ro", uri=True, check_same_thread=False)
        connection.text_factory = bytes  # SQLite does not look whether texts are UTF-8
        with contextlib.closing(connection):
            yield from connection.execute(stage.query)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:  # ValueError: a query that is no text of SQLite's
        raise _refused(stage, error) from error


def _refused(stage: QueryStage, error: Exception) -> OpError:
    return UnknownError(f"SQLite cannot run {stage.query!r:.200} on {stage.path}: {error}")


def _converted(value: Any, dtype: Any) -> Array:
    """A column's value as a scalar of a dtype, by SQLite's rules; integers that are too large wrap around."""
    array = np.empty((), dtype)
    if dtype.kind == "O":
        array[()] = value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
    elif dtype == np.float64:
        array[()] = _number(value, "real")
    elif dtype == np.bool_:
        array[()] = int(_number(value, "integer")) != 0
    else:
        array[()] = np.asarray(_integer(_number(value, "integer")), np.int64).astype(dtype)
    array.setflags(write=False)
    return array


def _integer(number: Any) -> int:
    """A number as SQLite's integer of 64 bits: the nearest there is, of a real number that is too large."""
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    return int(max(least, min(most, number))) if abs(number) >= 2.0**63 else int(number)


def _number(value: Any, kind: str) -> Any:
    if isinstance(value, int | float):
        return value
    if value is None:
        return 0
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        return connection.execute(f"select cast(? as {kind})", (value,)).fetchone()[0]
