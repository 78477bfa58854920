"""In-memory sources, whose rows are gathered by index, a whole batch at a time."""

import abc
from typing import Any, final

import jax
import numpy as np

from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, convert, leaves, map_leaves
from stratagem._data.elements._spec import NestedDataset
from stratagem._data.stages._order import Indices


class Columns(abc.ABC):
    """A nest of columns of equal length."""

    @property
    @abc.abstractmethod
    def length(self) -> int:
        """The number of rows."""

    @property
    @abc.abstractmethod
    def spec(self) -> Any:
        """The specs of one row."""

    @property
    def pure(self) -> bool:
        """True if `gather` and `spec` run no user code."""
        return True

    @property
    def cheap(self) -> bool:
        """True if the rows are in memory."""
        return True

    @property
    def read_ahead_rows(self) -> int:
        """The maximum number of rows to gather before they are requested."""
        return 1024

    @property
    def repeatable(self) -> bool:
        """True if gathering a row again gives the same values again."""
        return True

    @property
    def bits(self) -> int | None:
        """The number of low bits of an index that hold the row, if others hold more (see `Numbered`); else None."""
        return None

    def sized(self, rows: int) -> "Columns":
        """The same columns, prepared for gathering this many rows at once."""
        return self

    def parts(self) -> "list[Columns]":
        """The columns of the single components, in the order of `leaves`."""
        return [ColumnComponent(self, number) for number in range(len(leaves(self.spec)))]

    @abc.abstractmethod
    def gather(self, indices: Indices) -> Any:
        """The rows at `indices`, stacked."""


@final
class ColumnComponent(Columns):
    """One component of other columns, which are gathered completely."""

    def __init__(self, columns: Columns, number: int) -> None:
        self._columns = columns
        self._number = number

    @property
    def length(self) -> int:
        return self._columns.length

    @property
    def spec(self) -> Any:
        return leaves(self._columns.spec)[self._number]

    @property
    def pure(self) -> bool:
        return self._columns.pure

    @property
    def cheap(self) -> bool:
        return self._columns.cheap

    @property
    def read_ahead_rows(self) -> int:
        return self._columns.read_ahead_rows

    @property
    def repeatable(self) -> bool:
        return self._columns.repeatable

    @property
    def bits(self) -> int | None:
        return self._columns.bits

    def gather(self, indices: Indices) -> Any:
        return leaves(self._columns.gather(indices))[self._number]


@final
class ArrayColumns(Columns):
    """Arrays whose first dimension counts the rows."""

    def __init__(self, tensors: Any) -> None:
        self._arrays = convert(tensors)
        arrays = leaves(self._arrays)
        if not arrays:
            raise ValueError("A Dataset was made of no tensor at all. Give at least one array.")
        if any(isinstance(a, NestedDataset) for a in arrays):
            raise ValueError(
                "Slicing dataset elements is not supported. Use Dataset.from_tensors for a single element."
            )
        if any(a.ndim == 0 for a in arrays):
            raise ValueError(
                "from_tensor_slices cuts tensors along their first dimension, but one of them is a scalar. "
                "Use Dataset.from_tensors for a single element."
            )
        lengths = {len(a) for a in arrays}
        if len(lengths) > 1:
            first, other = sorted(lengths, key=[len(a) for a in arrays].index)[:2]
            raise ValueError(
                f"Dimensions {first} and {other} are not compatible: from_tensor_slices needs tensors with the same "
                f"first dimension, found {_lengths(self._arrays)}."
            )
        self._length = lengths.pop()

    @property
    def length(self) -> int:
        return self._length

    @property
    def spec(self) -> Any:
        return map_leaves(lambda a: TensorSpec(a.shape[1:], a.dtype), self._arrays)

    def parts(self) -> list[Columns]:
        return [ArrayColumns(array) for array in leaves(self._arrays)]

    def gather(self, indices: Indices) -> Any:
        run = as_run(indices)
        if run is not None:
            return map_leaves(lambda a: a[run], self._arrays)
        return map_leaves(lambda a: a[indices], self._arrays)


@final
class RangeColumns(Columns):
    """Numbers at constant distances, computed when they are needed."""

    def __init__(self, start: Any, step: Any, length: int, dtype: np.dtype[Any]) -> None:
        self._start, self._step = start, step
        self._length = length
        self._dtype = dtype

    @property
    def length(self) -> int:
        return self._length

    @property
    def spec(self) -> Any:
        return TensorSpec((), self._dtype)

    def gather(self, indices: Indices) -> Array:
        return (self._start + indices * self._step).astype(self._dtype)


@final
class ZippedColumns(Columns):
    """Columns side by side in a nest, as long as the shortest."""

    def __init__(self, nest: Any) -> None:
        self._nest = nest

    @property
    def length(self) -> int:
        columns: list[Columns] = leaves(self._nest)
        return min(column.length for column in columns)

    @property
    def spec(self) -> Any:
        return map_leaves(lambda columns: columns.spec, self._nest)

    @property
    def pure(self) -> bool:
        return all(columns.pure for columns in leaves(self._nest))

    @property
    def cheap(self) -> bool:
        return all(columns.cheap for columns in leaves(self._nest))

    @property
    def read_ahead_rows(self) -> int:
        return min(columns.read_ahead_rows for columns in leaves(self._nest))

    @property
    def repeatable(self) -> bool:
        return all(columns.repeatable for columns in leaves(self._nest))

    def sized(self, rows: int) -> Columns:
        return ZippedColumns(map_leaves(lambda columns: columns.sized(rows), self._nest))

    def parts(self) -> list[Columns]:
        return [part for columns in leaves(self._nest) for part in columns.parts()]

    def gather(self, indices: Indices) -> Any:
        return map_leaves(lambda columns: columns.gather(indices), self._nest)


def as_run(indices: Indices) -> slice | None:
    """The slice for consecutive indices, which gives a view instead of gathering; None for other indices."""
    if len(indices) == 0:
        return None
    start, stop = int(indices[0]), int(indices[-1]) + 1
    # As bytes, because NumPy's own comparisons take longer than everything else that a batch of a view needs.
    if stop - start != len(indices) or indices.tobytes() != np.arange(start, stop, dtype=indices.dtype).tobytes():
        return None
    return slice(start, stop)


def _lengths(arrays: Any) -> str:
    found = jax.tree_util.tree_flatten_with_path(arrays)[0]
    return ", ".join(f"{len(array)} rows in component {jax.tree_util.keystr(path)}" for path, array in found)
