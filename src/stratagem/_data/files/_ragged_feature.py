"""`tf.io.RaggedFeature`: features with any number of values, in rows whose lengths may be other features of the Example."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._data.elements._composites import ragged_rows_joined
from stratagem._data.elements._nest import Array
from stratagem._data.files._columns import Column
from stratagem._data.files._features import FeatureParser, FeatureValueType, each, kind_of
from stratagem._data.files._host_tensor import numbers
from stratagem._ops import as_dtype, int32
from stratagem._ops.ragged import RaggedTensor


@final
class _RowSplits(NamedTuple):
    """Rows that begin and end at the values of another feature."""

    key: str


@final
class _RowLengths(NamedTuple):
    """Rows whose lengths are another feature."""

    key: str


@final
class _RowStarts(NamedTuple):
    """Rows whose beginnings are another feature."""

    key: str


@final
class _RowLimits(NamedTuple):
    """Rows whose ends are another feature."""

    key: str


@final
class _ValueRowIds(NamedTuple):
    """Rows whose numbers, one for each value, are another feature."""

    key: str


@final
class _UniformRowLength(NamedTuple):
    """Rows of one length."""

    length: int


_Partition = _RowSplits | _RowLengths | _RowStarts | _RowLimits | _ValueRowIds | _UniformRowLength
_MAKERS: dict[type, Callable[..., Any]] = {
    _RowSplits: RaggedTensor.from_row_splits,
    _RowLengths: RaggedTensor.from_row_lengths,
    _RowStarts: RaggedTensor.from_row_starts,
    _RowLimits: RaggedTensor.from_row_limits,
    _ValueRowIds: RaggedTensor.from_value_rowids,
    _UniformRowLength: RaggedTensor.from_uniform_row_length,
}


@exported("io.RaggedFeature")
@final
@dataclass(frozen=True)
class RaggedFeature(FeatureParser):
    """A feature with any number of values, as a RaggedTensor with a row for each Example, as `tf.io.RaggedFeature`.

    dtype: int64, float32 or string. value_key: the feature with the values, by default that of the same name.
    partitions: how the values of an Example are in rows, the outermost first: `RaggedFeature.RowSplits(key)`, `RowLengths`,
    `RowStarts`, `RowLimits` or `ValueRowIds`, where `key` names a feature of int64, or `UniformRowLength(length)`, or a
    length. Without any, `parse_single_example` gives a vector. row_splits_dtype: int32 or int64. Partitions that do not fit
    the values raise InvalidArgumentError, whatever `validate` is.

    Raises:
        TypeError: what is no partition.
        InvalidArgumentError: another dtype.
    """

    RowSplits: ClassVar = _RowSplits
    RowLengths: ClassVar = _RowLengths
    RowStarts: ClassVar = _RowStarts
    RowLimits: ClassVar = _RowLimits
    ValueRowIds: ClassVar = _ValueRowIds
    UniformRowLength: ClassVar = _UniformRowLength

    dtype: DTypeLike
    value_key: str | None = None
    partitions: Sequence[Any] = ()
    row_splits_dtype: DTypeLike = int32
    validate: bool = False
    kind: FeatureValueType = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = self.partitions if isinstance(self.partitions, list | tuple) else [self.partitions]
        partitions = tuple(_UniformRowLength(p) if isinstance(p, int) else p for p in given)
        for partition in partitions:
            if type(partition) not in _MAKERS:
                raise TypeError(
                    f"partitions must be a list of partitions, got {partition!r:.100}. Use tf.io.RaggedFeature.RowSplits, "
                    "RowLengths, RowStarts, RowLimits, ValueRowIds or UniformRowLength."
                )
        splits = np.dtype(as_dtype(self.row_splits_dtype).dtype)
        self.__dict__.update(kind=kind_of(self.dtype), partitions=partitions, row_splits_dtype=splits)

    def keys(self, key: str) -> list[str]:
        return [self._own(key), *(p.key for p in self.partitions if not isinstance(p, _UniformRowLength))]

    def of_example(self, key: str, found: Mapping[str, Any]) -> Any:
        own = self._own(key)
        values: Any = numbers(self._known(own, found.get(own)))
        for partition in reversed(self.partitions):
            values = self._divided(partition, values, found)
        return values

    def of_examples(self, key: str, found: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
        rows = each(functools.partial(self.of_example, key), found, names)
        return self.in_rows(rows or [self.of_example(key, {})][:0])

    def of_columns(self, key: str, columns: Mapping[str, Column]) -> Any | None:
        column = columns[self._own(key)]
        if self.partitions or column.holder != self.kind.holder:
            return None
        return RaggedTensor(numbers(column.values), self._splits(column.lengths))

    def in_rows(self, rows: Sequence[Any]) -> RaggedTensor:
        """Returns the values of several Examples, or steps, as the rows of one ragged tensor."""
        counts = np.array([row.shape[0] for row in rows], np.int64)
        if rows:
            return RaggedTensor(_frozen(ragged_rows_joined(rows)), self._splits(counts))
        values: Any = self.of_example("", {}) if self.partitions else numbers(np.empty(0, self.kind.dtype))
        return RaggedTensor(values, self._splits(counts))

    def one(self, key: str, feature: Any) -> Any:
        return self.of_example(key, {self._own(key): feature})

    def many(self, key: str, features: Sequence[Any], names: Sequence[str]) -> Any:
        return self.of_examples(key, [{self._own(key): feature} for feature in features], names)

    def column(self, column: Column) -> Any | None:
        return self.of_columns("", {self._own(""): column})

    def _own(self, key: str) -> str:
        return key if self.value_key is None else self.value_key

    def _known(self, key: str, feature: Any) -> Array:
        found = self.values(key, feature)
        return np.empty(0, self.kind.dtype) if found is None else found

    def _reshaped(self, values: Array, length: int) -> Array:
        if length < 1 or len(values) % length:
            raise InvalidArgumentError(f"tf.io.RaggedFeature: {len(values)} values are no rows of {length}.")
        return numbers(values.reshape(-1, length, *values.shape[1:]))

    def _splits(self, lengths: Array) -> Array:
        return np.concatenate([[0], np.cumsum(lengths)]).astype(self.row_splits_dtype)

    def _divided(self, partition: Any, values: Any, found: Mapping[str, Any]) -> Any:
        if isinstance(partition, _UniformRowLength):
            if not isinstance(values, RaggedTensor):  # then the dimension is none of the ragged ones
                return self._reshaped(np.asarray(values), partition.length)
            made = RaggedTensor.from_uniform_row_length(values, partition.length)
            return made.with_row_splits_dtype(self.row_splits_dtype)
        rows = RaggedFeature(np.int64)._known(partition.key, found.get(partition.key))
        if isinstance(partition, _RowSplits) and not len(rows):
            rows = np.zeros(1, np.int64)  # an Example without this feature has no rows
        return _MAKERS[type(partition)](values, rows.astype(self.row_splits_dtype))


def _frozen(values: Any) -> Any:
    return values if isinstance(values, RaggedTensor) else numbers(values)
