"""Columns of sequences, for `tf.keras.experimental.SequenceFeatures`: numbers and categories of each step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, PathLike, ShapeLike, UserFunction
from stratagem._columns._categories import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from stratagem._columns._checks import checked_function, checked_number, checked_shape
from stratagem._columns._column import CategoricalColumn, FeatureColumn, SequenceDenseColumn, Tables
from stratagem._columns._entries import Entries, placed, positions, prepared, sequence_lengths, spread
from stratagem._columns._features import Features
from stratagem._core.values import CompositeTensor, TensorShape
from stratagem._data.files import VarLenFeature
from stratagem._ops import DType, Tensor, float32, string, tensor
from stratagem._ops.sparse import SparseTensor


@final
@dataclass(frozen=True)
class SequenceCategoricalColumn(CategoricalColumn):
    """The ids of another column, each of which is those of one step."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        """The name of the ids."""
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the ids."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The column of the ids."""
        return [self.categorical_column]

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.categorical_column.num_buckets

    def transform(self, features: Features) -> Entries:
        """Returns the ids of each step: (batch, steps, longest)."""
        found = self.categorical_column.entries(features)
        batch, steps, *rest = found.values.shape
        shape = (batch, steps, math.prod(rest))
        weights = None if found.weights is None else found.weights.reshape(shape)
        return Entries(found.values.reshape(shape), found.present.reshape(shape), weights)

    def entries(self, features: Features) -> Entries:
        """Returns the ids of each step."""
        return features.of(self)


def refuse_sequences(what: str, name: str, column: FeatureColumn) -> None:
    """Raises ValueError for a column of sequences."""
    if isinstance(column, SequenceCategoricalColumn):
        raise ValueError(
            f"In {what}: {name}. categorical_column must not be of type SequenceCategoricalColumn. For DenseFeatures use a "
            "non-sequence categorical_column_with_*, for sequences SequenceFeatures instead of DenseFeatures. "
            f"Given (type {type(column)}): {column}"
        )


def demand_sequences(what: str, name: str, column: FeatureColumn) -> None:
    """Raises ValueError for a column without sequences."""
    if not isinstance(column, SequenceCategoricalColumn):
        raise ValueError(
            f"In {what}: {name}. categorical_column must be of type SequenceCategoricalColumn to use SequenceFeatures. Use "
            f"one of sequence_categorical_column_with_*. Given (type {type(column)}): {column}"
        )


def _in_the_same_places(one: Any, other: Any) -> bool:
    """Returns whether two sparse tensors are known to differ in their values alone."""
    if not isinstance(one, SparseTensor) or not isinstance(other, SparseTensor):
        return False
    return one.indices is other.indices and one.dense_shape is other.dense_shape


@final
@dataclass(frozen=True)
class SequenceNumericColumn(SequenceDenseColumn):
    """The numbers of each step."""

    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: DType
    normalizer_fn: UserFunction | None

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of any length."""
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        """The key."""
        return [self.key]

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one step's numbers."""
        return TensorShape(self.shape)

    def transform(self, features: Features) -> Entries:
        """Returns the numbers as `normalizer_fn` gives them. Raises TypeError for a dense tensor."""
        raw: Any = features.raw(self.key)
        found: Any = raw if self.normalizer_fn is None else self.normalizer_fn(raw)
        if found is not raw and _in_the_same_places(found, raw):
            # The places are known before a step, though the numbers are computed in it.
            return placed(prepared(positions, raw), found.values, self.default_value)
        if not isinstance(found, CompositeTensor):
            raise TypeError(
                f"Input must be a SparseTensor: the feature {self.key!r} of sequence_numeric_column is a dense tensor. Use "
                "tf.sparse.from_dense."
            )
        return prepared(self._spread, found)

    def _spread(self, feature: Any) -> Entries:
        return spread(feature, self.default_value)

    def steps(self, features: Features, tables: Tables) -> tuple[Tensor, Tensor]:
        """Returns the numbers of each step: (batch, steps, *shape), and the number of steps.

        Raises InvalidArgumentError for numbers that do not make whole steps.
        """
        found = features.of(self)
        batch, elements = found.values.shape[0], math.prod(self.shape)
        size = math.prod(found.values.shape[1:])
        if size % elements:
            raise InvalidArgumentError(
                f"{size} numbers of each row of {self.key!r} are no steps of {list(self.shape)}."
            )
        dense = tensor(found.values).reshape((batch, size // elements, *self.shape))
        return dense, sequence_lengths(found.present, elements if len(found.values.shape) == 2 else 1)


@exported("feature_column.sequence_numeric_column")
def sequence_numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = float32,
    normalizer_fn: UserFunction | None = None,
) -> SequenceNumericColumn:
    """Returns a column of the numbers of each step, which sparse or ragged tensors have.

    shape: of one step's numbers. default_value: what fills up shorter sequences. normalizer_fn: called with the sparse tensor.

    Raises TypeError for a shape of what is no integer, and what is no function; ValueError for a shape that is not positive,
    and another dtype.
    """
    dims, kind = checked_shape(shape, key), checked_number(dtype, key)
    return SequenceNumericColumn(key, dims, default_value, kind, checked_function(normalizer_fn))


@exported("feature_column.sequence_categorical_column_with_identity")
def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Returns `categorical_column_with_identity` of each step."""
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


@exported("feature_column.sequence_categorical_column_with_hash_bucket")
def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = string
) -> SequenceCategoricalColumn:
    """Returns `categorical_column_with_hash_bucket` of each step."""
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


@exported("feature_column.sequence_categorical_column_with_vocabulary_file")
def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: PathLike,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = string,
) -> SequenceCategoricalColumn:
    """Returns `categorical_column_with_vocabulary_file` of each step."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
        )
    )


@exported("feature_column.sequence_categorical_column_with_vocabulary_list")
def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Returns `categorical_column_with_vocabulary_list` of each step."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    )
