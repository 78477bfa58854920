"""Sources with random access: elements are fetched by index, so that returning to a position costs nothing."""

import abc
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, map_leaves, stacked
from stratagem._data.foreign._elements import ElementConventions, ElementConverter
from stratagem._data.foreign._stage import Source, Stream
from stratagem._data.stages._columns import Columns
from stratagem._data.stages._order import Indices, State
from stratagem._data.stages._replay import name_position


@final
class BatchSequence(Source):
    """Every item is a global batch."""

    def __init__(self, items: Any, conventions: ElementConventions) -> None:
        super().__init__(conventions)
        self._items = items

    @property
    def cardinality(self) -> int:
        return len(self._items)

    def stream(self) -> Stream:
        return _ItemStream(self._items)


@final
class _ItemStream(Stream):
    def __init__(self, items: Any) -> None:
        self._items = items
        self._position = 0

    def __next__(self) -> Any:
        if self._position >= len(self._items):
            raise StopIteration
        item = self._items[self._position]
        self._position += 1
        return item

    def get_state(self) -> State:
        return {}

    def set_state(self, state: State, position: int) -> None:
        self._position = position

    def close(self) -> None:
        pass


class ForeignColumns(Columns):
    """Rows that the library makes when they are requested, possibly by running user code."""

    def __init__(self, items: Any, conventions: ElementConventions) -> None:
        self._items = items
        self._conventions = conventions
        self._reader = ElementConverter(conventions)

    @property
    def length(self) -> int:
        return len(self._items)

    @property
    def pure(self) -> bool:
        return False

    @property
    def cheap(self) -> bool:
        return False

    @property
    def read_ahead_rows(self) -> int:
        return 1

    @property
    def repeatable(self) -> bool:
        return False

    @property
    def spec(self) -> Any:
        if self._reader.spec is None:
            if self.length == 0:
                raise ValueError(
                    f"The element_spec of {self._conventions.what} is that of its first element, and it has none."
                )
            self._fetch(np.zeros(1, np.int64))
        return self._row_spec(self._reader.spec)

    def gather(self, indices: Indices) -> Any:
        if len(indices) == 0:
            return map_leaves(_no_rows, self.spec)
        return self._fetch(indices)

    @abc.abstractmethod
    def _row_spec(self, spec: Any) -> Any:
        """The spec of a row, from the spec that the reader found."""

    @abc.abstractmethod
    def _fetch(self, indices: Indices) -> Any:
        """The rows at `indices`, at least one, stacked."""


@final
class ItemColumns(ForeignColumns):
    """The items of an object with `__len__` and `__getitem__`, or torch's `__getitems__`, which fetches many."""

    def _row_spec(self, spec: Any) -> Any:
        return spec

    def _fetch(self, indices: Indices) -> Any:
        numbers: list[int] = indices.tolist()
        items = [self._reader.read(item, n) for n, item in zip(numbers, self._items_at(numbers), strict=True)]
        return stacked(items)

    def _items_at(self, numbers: list[int]) -> Sequence[Any]:
        fetch_many = getattr(self._items, "__getitems__", None)
        if fetch_many is not None:
            return self._fetch_one(fetch_many, numbers, numbers[0])
        return [self._fetch_one(self._items.__getitem__, number, number) for number in numbers]

    def _fetch_one(self, fetch: Any, what: Any, number: int) -> Any:
        try:
            return fetch(what)
        except StopIteration as error:
            # It would end the epoch silently.
            raise RuntimeError(f"Element {number} of {self._conventions.what} raised StopIteration.") from error
        except Exception as error:
            name_position(error, number, self._conventions.what)
            raise


def _no_rows(spec: TensorSpec) -> Array:
    return np.empty((0, *(d or 0 for d in spec.shape)), spec.dtype)
