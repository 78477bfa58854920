"""In-memory sources: rows that are gathered by index, a whole batch at a time."""

import abc
from typing import Any, final

import jax
import numpy as np

from stratagem.pipeline._nest import Array, Nest, convert
from stratagem.pipeline._order import Indices
from stratagem.pipeline._spec import TensorSpec


class Columns(abc.ABC):
    """A nest of columns of equal length."""

    @property
    @abc.abstractmethod
    def length(self) -> int:
        """The number of rows."""

    @property
    @abc.abstractmethod
    def spec(self) -> Nest:
        """The specs of one row."""

    @abc.abstractmethod
    def gather(self, indices: Indices) -> Nest:
        """The rows at `indices`, stacked."""


@final
class ArrayColumns(Columns):
    """Arrays whose first dimension counts the rows."""

    def __init__(self, tensors: Nest) -> None:
        self._arrays = convert(tensors)
        arrays = jax.tree.leaves(self._arrays)
        if not arrays:
            raise ValueError("A Dataset was made of no tensor at all. Give at least one array.")
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
    def spec(self) -> Nest:
        return jax.tree.map(lambda a: TensorSpec(a.shape[1:], a.dtype), self._arrays)

    def gather(self, indices: Indices) -> Nest:
        run = _as_run(indices)
        if run is not None:
            return jax.tree.map(lambda a: a[run], self._arrays)
        return jax.tree.map(lambda a: a[indices], self._arrays)


@final
class RangeColumns(Columns):
    """Numbers with a constant distance, computed when they are needed."""

    def __init__(self, start: int, step: int, length: int, dtype: np.dtype[Any]) -> None:
        self._start, self._step = start, step
        self._length = length
        self._dtype = dtype

    @property
    def length(self) -> int:
        return self._length

    @property
    def spec(self) -> Nest:
        return TensorSpec((), self._dtype)

    def gather(self, indices: Indices) -> Array:
        return (self._start + indices * self._step).astype(self._dtype)


@final
class ZippedColumns(Columns):
    """A nest of columns, side by side, as long as the shortest."""

    def __init__(self, nest: Nest) -> None:
        self._nest = nest

    @property
    def length(self) -> int:
        columns: list[Columns] = jax.tree.leaves(self._nest)
        return min(column.length for column in columns)

    @property
    def spec(self) -> Nest:
        return jax.tree.map(lambda columns: columns.spec, self._nest)

    def gather(self, indices: Indices) -> Nest:
        return jax.tree.map(lambda columns: columns.gather(indices), self._nest)


def _as_run(indices: Indices) -> slice | None:
    """Neighbouring rows are one slice, which is a view: nothing is gathered at all."""
    if len(indices) == 0 or indices[-1] - indices[0] + 1 != len(indices) or not (np.diff(indices) == 1).all():
        return None
    return slice(int(indices[0]), int(indices[-1]) + 1)


def _lengths(arrays: Nest) -> str:
    found = jax.tree_util.tree_flatten_with_path(arrays)[0]
    return ", ".join(f"{len(array)} rows in component {jax.tree_util.keystr(path)}" for path, array in found)
