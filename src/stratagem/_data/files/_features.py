"""The features of an Example to parse, and the conversion of each to a tensor."""

import abc
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._data.elements._nest import Array, to_numpy
from stratagem._data.files._columns import Column
from stratagem._data.files._host_tensor import numbers
from stratagem._ops import as_dtype
from stratagem._ops.sparse import SparseTensor


@final
@dataclass(frozen=True)
class FeatureValueType:
    """One of the three kinds of lists that a Feature holds.

    holder: the field of the message. name: the kind's name in errors. zero: the default padding.
    read: concatenates the values of several lists. of: the list in a Feature, an empty one if it has another kind.
    """

    holder: str
    name: str
    dtype: np.dtype[Any]
    zero: Any
    read: Callable[[Sequence[Any]], Array]
    of: Callable[[Any], Any]


_value = operator.attrgetter("value")


def _bytes(lists: Sequence[Any]) -> Array:
    values = list(chain.from_iterable(map(_value, lists)))
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _floats(lists: Sequence[Any]) -> Array:
    return np.frombuffer(b"".join(map(_packed_floats, lists)), "<f4")


def _packed_floats(floats: Any) -> bytes:
    """The floats as bytes: the end of the serialized message, which is 20 times faster than converting Python floats."""
    data: bytes = floats.SerializeToString()
    size = 4 * len(floats.value)
    tag_and_size = 1 + (size.bit_length() + 6) // 7
    if size and len(data) != tag_and_size + size:  # the message has other contents, too
        return np.array(floats.value[:], "<f4").tobytes()
    return data[len(data) - size :]


def _integers(lists: Sequence[Any]) -> Array:
    return np.array(list(chain.from_iterable(map(_value, lists))), np.int64)


_KINDS = [
    FeatureValueType(holder, name, np.dtype(dtype), zero, read, operator.attrgetter(holder))
    for holder, name, dtype, zero, read in (
        ("bytes_list", "string", object, b"", _bytes),
        ("float_list", "float", np.float32, 0.0, _floats),
        ("int64_list", "int64", np.int64, 0, _integers),
    )
]
_BY_HOLDER = {kind.holder: kind for kind in _KINDS}


def kind_of(dtype: Any) -> FeatureValueType:
    """The kind of list that holds values of `dtype`.

    Raises:
        InvalidArgumentError: none does.
    """
    wanted = as_dtype(dtype).dtype
    for kind in _KINDS:
        if kind.dtype == wanted:
            return kind
    raise InvalidArgumentError(
        f"A feature of an Example is int64, float32 or string, got {wanted.name}. Parse it as one of them, then tf.cast."
    )


class FeatureParser(abc.ABC):
    """Parses one feature. `key` is its name, for errors."""

    kind: FeatureValueType

    @abc.abstractmethod
    def one(self, key: str, feature: Any) -> Any:
        """The tensor for the feature of one Example; `feature` is None if it is missing."""

    @abc.abstractmethod
    def many(self, key: str, features: Sequence[Any], names: Sequence[str]) -> Any:
        """The tensor for the features of several Examples, whose names are for errors."""

    @abc.abstractmethod
    def column(self, column: Column) -> Any:
        """The tensor for the values of several Examples in one column; None if they do not fit, for which `many` has errors."""

    def keys(self, key: str) -> list[str]:
        """The names of the features that the tensor is made of."""
        return [key]

    def of_example(self, key: str, found: Mapping[str, Any]) -> Any:
        """The tensor for one Example. found: its features by name."""
        return self.one(key, found.get(key))

    def of_examples(self, key: str, found: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
        """The tensor for several Examples, whose names are for errors. found: their features by name."""
        return self.many(key, [features.get(key) for features in found], names)

    def of_columns(self, key: str, columns: Mapping[str, Column]) -> Any:
        """The tensor for several Examples whose features are in columns; None if they do not fit, see `column`."""
        return self.column(columns[key])

    def feature_list(self, key: str, feature: Any) -> Any:
        """The list in a feature, None if there is none.

        Raises:
            InvalidArgumentError: it is of another kind.
        """
        holder = None if feature is None else feature.WhichOneof("kind")
        if holder is None:
            return None
        if holder != self.kind.holder:
            raise InvalidArgumentError(
                f"Key: {key}.  Data types don't match. Data type: {_BY_HOLDER[holder].name} but expected type: {self.kind.name}"
            )
        return getattr(feature, holder)

    def values(self, key: str, feature: Any) -> Array | None:
        """The values in a feature, None if there are none. Raises the same errors as `feature_list`."""
        feature_list = self.feature_list(key, feature)
        return None if feature_list is None else self.kind.read([feature_list])


def each(function: Callable[[Any], Any], features: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Applies a function to every feature; an error names the Example."""
    made = []
    for i, feature in enumerate(features):
        try:
            made.append(function(feature))
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"Name: {names[i]}, Index: {i}, {error}") from None
    return made


@exported("io.FixedLenFeature", v1=["FixedLenFeature", "io.FixedLenFeature"])
@final
@dataclass(frozen=True)
class FixedLenFeature(FeatureParser):
    """A feature with exactly as many values as `shape` has entries, or `default_value`.

    dtype: int64, float32 or string. default_value: of the same shape; without one, the feature is required.

    Raises:
        ValueError: a dimension of the shape is not known.
        InvalidArgumentError: another dtype, or a default of another size.
    """

    shape: ShapeLike
    dtype: DTypeLike
    default_value: Any = None
    kind: FeatureValueType = field(init=False, repr=False, compare=False)
    dims: tuple[int, ...] = field(init=False, repr=False, compare=False)
    size: int = field(init=False, repr=False, compare=False)
    default: Array | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        kind, dims = kind_of(self.dtype), _dims(self.shape, "FixedLenFeature")
        default = None if self.default_value is None else _default(self.default_value, kind, dims)
        self.__dict__.update(kind=kind, dims=dims, size=math.prod(dims), default=default)

    def one(self, key: str, feature: Any) -> Any:
        values = self._values_of_all([feature])
        return numbers(self._checked(key, self.values(key, feature)) if values is None else values.reshape(self.dims))

    def many(self, key: str, features: Sequence[Any], names: Sequence[str]) -> Any:
        values = self._values_of_all(features)
        if not features:
            values = np.empty(0, self.kind.dtype)
        if values is None:
            values = np.stack(each(lambda feature: self._checked(key, self.values(key, feature)), features, names))
        return numbers(values.reshape(len(features), *self.dims))

    def column(self, column: Column) -> Any | None:
        if column.holder != self.kind.holder or self.size == 0 or not column.has_rows_of(self.size):
            return None
        return numbers(column.values.reshape(column.rows, *self.dims))

    def _values_of_all(self, features: Sequence[Any]) -> Array | None:
        """The values of all features, if each has the right number of them. Most of the time of parsing is spent here."""
        if self.size == 0 or None in features:
            return None
        lists = list(map(self.kind.of, features))
        return self.kind.read(lists) if set(map(len, map(_value, lists))) == {self.size} else None

    def _checked(self, key: str, values: Array | None) -> Array:
        if values is None:
            if self.default is None:
                raise InvalidArgumentError(
                    f"Feature: {key} (data type: {self.kind.name}) is required but could not be found."
                )
            return self.default
        if len(values) != self.size:
            raise InvalidArgumentError(
                f"Key: {key}.  Can't parse serialized Example: it has {len(values)} values, but the shape is "
                f"{list(self.dims)}. If the number differs, use FixedLenSequenceFeature or VarLenFeature."
            )
        return values.reshape(self.dims)


@exported("io.FixedLenSequenceFeature", v1=["FixedLenSequenceFeature", "io.FixedLenSequenceFeature"])
@final
@dataclass(frozen=True)
class FixedLenSequenceFeature(FeatureParser):
    """A feature with any number of values, in rows of `shape`; several Examples are padded to the longest.

    dtype: int64, float32 or string. allow_missing: must be True, except for a FeatureList. default_value: the padding.

    Raises:
        ValueError: a dimension of the shape is not known.
        InvalidArgumentError: another dtype, or a default that is not a scalar.
    """

    shape: ShapeLike
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None
    kind: FeatureValueType = field(init=False, repr=False, compare=False)
    dims: tuple[int, ...] = field(init=False, repr=False, compare=False)
    padding: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        kind, dims = kind_of(self.dtype), _dims(self.shape, "FixedLenSequenceFeature")
        given = kind.zero if self.default_value is None else self.default_value
        self.__dict__.update(kind=kind, dims=dims, padding=_default(given, kind, ()))

    def one(self, key: str, feature: Any) -> Any:
        return numbers(self._rows(key, self.values(key, feature)))

    def many(self, key: str, features: Sequence[Any], names: Sequence[str]) -> Any:
        return self._padded(each(lambda feature: self._rows(key, self.values(key, feature)), features, names))

    def column(self, column: Column) -> Any | None:
        size = math.prod(self.dims)
        if column.holder != self.kind.holder or not self.allow_missing or size == 0 or (column.lengths % size).any():
            return None
        rows = np.split(column.values, np.cumsum(column.lengths)[:-1])
        return self._padded([row.reshape(-1, *self.dims) for row in rows])

    def _padded(self, rows: "Sequence[Array]") -> Any:
        """The rows of all Examples, filled up to the longest."""
        longest = max(map(len, rows), default=0)
        result = np.full((len(rows), longest, *self.dims), self.padding, self.kind.dtype)
        for i, part in enumerate(rows):
            result[i, : len(part)] = part
        return numbers(result)

    def _rows(self, key: str, values: Array | None) -> Array:
        if not self.allow_missing:
            raise ValueError(f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True (key {key!r}).")
        if values is None:
            return np.empty((0, *self.dims), self.kind.dtype)
        size = math.prod(self.dims)
        if size == 0 or len(values) % size:
            raise InvalidArgumentError(
                f"Key: {key}.  Can't parse serialized Example: {len(values)} values are no rows of shape {list(self.dims)}."
            )
        return values.reshape(-1, *self.dims)


@exported("io.VarLenFeature", v1=["VarLenFeature", "io.VarLenFeature"])
@final
@dataclass(frozen=True)
class VarLenFeature(FeatureParser):
    """A feature with any number of values, as a SparseTensor. dtype: int64, float32 or string."""

    dtype: DTypeLike
    kind: FeatureValueType = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.__dict__.update(kind=kind_of(self.dtype))

    def one(self, key: str, feature: Any) -> Any:
        found = self.values(key, feature)
        values = np.empty(0, self.kind.dtype) if found is None else found
        indices = np.arange(len(values), dtype=np.int64)[:, None]
        return SparseTensor(numbers(indices), numbers(values), numbers(np.array([len(values)], np.int64)))

    def many(self, key: str, features: Sequence[Any], names: Sequence[str]) -> Any:
        return sparse_rows(each(lambda feature: self.values(key, feature), features, names), self.kind)

    def column(self, column: Column) -> Any | None:
        return _sparse_matrix(column.values, column.lengths) if column.holder == self.kind.holder else None


def sparse_rows(rows: "Sequence[Array | None]", kind: FeatureValueType) -> SparseTensor:
    """Converts rows of different lengths to a sparse matrix."""
    lengths = np.array([0 if row is None else len(row) for row in rows], np.int64)
    values = np.concatenate([np.empty(0, kind.dtype), *(row for row in rows if row is not None)])
    return _sparse_matrix(values, lengths)


def _sparse_matrix(values: Array, lengths: Array) -> SparseTensor:
    """A matrix whose rows have so many of the values, one after the other, each from its first column on."""
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    begins = np.cumsum(lengths) - lengths
    indices = np.stack([rows, np.arange(len(values), dtype=np.int64) - begins[rows]], axis=1)
    shape = np.array([len(lengths), lengths.max(initial=0)], np.int64)
    return SparseTensor(numbers(indices), numbers(values), numbers(shape))


def _dims(shape: Any, what: str) -> tuple[int, ...]:
    dims = tuple(np.ravel(shape).tolist()) if isinstance(shape, int | np.ndarray) else tuple(shape)
    if any(d is None for d in dims):
        raise ValueError(
            f"The shape of a {what} must be known, got {list(dims)}. Consider using FixedLenSequenceFeature."
        )
    return tuple(int(d) for d in dims)


def _default(value: Any, kind: FeatureValueType, dims: tuple[int, ...]) -> Array:
    array = to_numpy(value)
    if array.size != math.prod(dims) or (array.dtype == object) != (kind.dtype == object):
        raise InvalidArgumentError(
            f"default_value {value!r:.100} does not fit a feature of shape {list(dims)} and type {kind.name}."
        )
    return array.astype(kind.dtype).reshape(dims)
