"""Columns of numbers: `numeric_column`, `bucketized_column`."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike, UserFunction
from stratagem._columns._checks import checked_default, checked_function, checked_key, checked_number, checked_shape
from stratagem._columns._column import CategoricalColumn, DenseColumn, Tables
from stratagem._columns._entries import Entries
from stratagem._columns._features import Features
from stratagem._core.values import CompositeTensor, TensorShape
from stratagem._data.files import FixedLenFeature
from stratagem._ops import DType, Tensor, cast, float32


@final
@dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """Numbers as they are, float32."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: UserFunction | None

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of fixed length."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def parents(self) -> list[Any]:
        """The key."""
        return [self.key]

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one row's numbers."""
        return TensorShape(self.shape)

    def transform(self, features: Features) -> Tensor:
        """Returns the numbers as `normalizer_fn` gives them, float32. Raises ValueError for a sparse or ragged tensor."""
        numbers = features.raw(self.key)
        if isinstance(numbers, CompositeTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. "
                f"{type(numbers).__name__} is not supported. key: {self.key}"
            )
        return cast(numbers if self.normalizer_fn is None else self.normalizer_fn(numbers), np.float32)

    def dense(self, features: Features, tables: Tables) -> Tensor:
        """Returns the numbers."""
        return features.of(self)


@exported("feature_column.numeric_column")
def numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: Any = None,
    dtype: DTypeLike = float32,
    normalizer_fn: UserFunction | None = None,
) -> NumericColumn:
    """Returns a column of numbers.

    shape: of one row's numbers. default_value, dtype: of the feature in files. normalizer_fn: called with the tensor.

    Raises:
        TypeError: the shape has what is no integer, the default is no number of the dtype, or `normalizer_fn` no function.
        ValueError: the shape is not positive, the default has another one, the dtype is none of numbers, or the key no string.
    """
    dims, kind = checked_shape(shape, key), checked_number(dtype, key)
    default = checked_default(dims, default_value, kind, key)
    function = checked_function(normalizer_fn)
    return NumericColumn(checked_key(key), dims, default, kind, function)


@final
@dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """The number of the bucket between boundaries in which each number is, as an id or in one-hot form."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        """The name of the numbers, and `_bucketized`."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the numbers."""
        return self.source_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The column of the numbers."""
        return [self.source_column]

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one row's numbers, and the number of buckets."""
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    @property
    def num_buckets(self) -> int:
        """The number of buckets of all numbers of a row."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform(self, features: Features) -> Tensor:
        """Returns the number of each bucket, int32."""
        bounds = np.array(self.boundaries, np.float32)
        return jnp.searchsorted(bounds, features.of(self.source_column), side="right").astype(np.int32)

    def dense(self, features: Features, tables: Tables) -> Tensor:
        """Returns one-hot vectors."""
        numbers = np.arange(len(self.boundaries) + 1)
        return (features.of(self)[..., None] == numbers).astype(np.float32)

    def entries(self, features: Features) -> Entries:
        """Returns the ids: each number of a row has buckets of its own."""
        places = np.arange(self.source_column.shape[0], dtype=np.int32)
        found = features.of(self).reshape((-1, len(places))) + (len(self.boundaries) + 1) * places
        return Entries(found, jnp.ones(found.shape, bool))


@exported("feature_column.bucketized_column")
def bucketized_column(source_column: NumericColumn, boundaries: Sequence[float]) -> BucketizedColumn:
    """Returns a column of buckets: below the first boundary, from each boundary to the next, and from the last one on.

    Raises ValueError for a column that is not numeric or has more than one dimension, and for boundaries that do not increase.
    """
    source: Any = source_column
    if not isinstance(source, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source}")
    if len(source.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, list | tuple) or any(a >= b for a, b in itertools.pairwise(boundaries)):
        raise ValueError(f"boundaries must be a sorted list. Given: {boundaries}")
    return BucketizedColumn(source, tuple(boundaries))
