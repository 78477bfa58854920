"""Columns made of others: crosses of features, and categories with weights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._columns._categories import HashedCategoricalColumn
from stratagem._columns._checks import checked_label
from stratagem._columns._column import CategoricalColumn, leaf_keys
from stratagem._columns._entries import Entries, prepared, select, spread
from stratagem._columns._features import Features
from stratagem._core.values import CompositeTensor
from stratagem._data.files import VarLenFeature
from stratagem._ops import DType, as_dtype, float32, is_traced, string
from stratagem._ops.text import crossed_buckets, fingerprints


@final
@dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """The ids of another column, with weights from a feature of the same form."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: DType

    @property
    def name(self) -> str:
        """The name of the ids, and the key of the weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the ids, and one of any length. Raises ValueError where the key of the weights is one of the ids."""
        found = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in found:
            raise ValueError(f"Parse config {found[key]} already exists for {key}.")
        return {**found, key: VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        """The column of the ids, and the key of the weights."""
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.categorical_column.num_buckets

    def transform(self, features: Features) -> Entries:
        """Returns ids and weights. Raises ValueError for weights of another dtype, InvalidArgumentError for another shape."""
        raw = features.raw(self.weight_feature_key)
        if as_dtype(raw.dtype) != self.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {as_dtype(raw.dtype)}.")
        weights, present, _ = prepared(spread, raw)
        found = self.categorical_column.entries(features)
        if tuple(weights.shape) != tuple(found.values.shape):
            raise InvalidArgumentError(
                f"The weights {self.weight_feature_key!r} have the shape {list(weights.shape)}, the ids of "
                f"{self.categorical_column.name!r} {list(found.values.shape)}: every id has one weight."
            )
        numbers = jnp.asarray(weights) if self.dtype.is_floating else jnp.asarray(weights).astype(np.float32)
        return found._replace(weights=jnp.where(present, numbers, 0))

    def entries(self, features: Features) -> Entries:
        """Returns ids and weights."""
        return features.of(self)


@exported("feature_column.weighted_categorical_column")
def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: DTypeLike = float32
) -> WeightedCategoricalColumn:
    """Returns a column with the ids of another one and weights. dtype: of the weights; ValueError if it is none of numbers."""
    kind = None if dtype is None else as_dtype(dtype)
    if kind is None or not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {kind} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)


@final
@dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """Combinations of the entries of several features, whose ids are hashes."""

    keys: tuple[CategoricalColumn | str, ...]
    hash_bucket_size: int
    hash_key: int | None

    @property
    def name(self) -> str:
        """The names of the features in order, with `_X_` between them."""
        return "_X_".join(sorted(key if isinstance(key, str) else key.name for key in self._leaves))

    @property
    def _leaves(self) -> list[Any]:
        return list(leaf_keys(self.keys, CrossedColumn))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the columns, and of strings for keys."""
        found: dict[str, Any] = {}
        for key in self.keys:
            found.update({key: VarLenFeature(string)} if isinstance(key, str) else key.parse_example_spec)
        return found

    @property
    def parents(self) -> list[Any]:
        """The keys and columns."""
        return list(self.keys)

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def transform(self, features: Features) -> Entries:
        """Returns the id of each combination of a row's entries.

        Raises ValueError for a column with weights, and for features that are no matrices of strings or integers.
        """
        # As TensorFlow's kernel orders what it crosses: dense tensors come last.
        ordered = sorted(self._leaves, key=lambda key: _is_dense(key, features))
        found = [self._crossable(key, features) for key in ordered]
        count = len(found)
        batches = {entries.values.shape[0] for entries in found}
        if len(batches) > 1:
            raise InvalidArgumentError(
                f"crossed_column {self.name}: features of {sorted(batches)} rows cannot be crossed."
            )
        parts = []
        present: Any = True
        for place, entries in enumerate(found):
            shape = [entries.values.shape[0], *[1] * count]
            shape[place + 1] = entries.values.shape[1]
            parts.append(entries.values.reshape(shape))
            present = present & entries.present.reshape(shape)
        ids = crossed_buckets(parts, self.hash_bucket_size, self.hash_key)
        size = (present.shape[0], math.prod(present.shape[1:]))
        present, ids = present.reshape(size), ids.reshape(size)
        return Entries(select(present, ids if is_traced(ids) else np.asarray(ids), -1), present)

    def _crossable(self, key: Any, features: Features) -> Entries:
        found = prepared(entries_to_cross, features.raw(key)) if isinstance(key, str) else key.entries(features)
        if found.weights is not None:
            raise ValueError(
                "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                f"Given column: {key.name}"
            )
        if len(found.values.shape) != 2:
            raise InvalidArgumentError(
                f"crossed_column {self.name}: the entries of {key} are a matrix, got {list(found.values.shape)}."
            )
        return found

    def entries(self, features: Features) -> Entries:
        """Returns the id of each combination."""
        return features.of(self)


def _is_dense(key: Any, features: Features) -> bool:
    return isinstance(key, str) and not isinstance(features.raw(key), CompositeTensor)


def entries_to_cross(feature: Any) -> Entries:
    """The entries of a feature, integers; strings by their fingerprints."""
    kind = checked_label(feature.dtype, "crossed_column: input_tensor")
    found = spread(feature)
    return found._replace(values=fingerprints(np.asarray(found.values))) if kind == string else found


@exported("feature_column.crossed_column")
def crossed_column(
    keys: Sequence[CategoricalColumn | str], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """Returns a column of the combinations of features, whose ids are those of `tf.sparse.cross_hashed`.

    keys: keys of features, and categorical columns, but for hashed ones, which would be hashed twice. hash_key: where the
    hashes start. Raises ValueError for fewer than two keys, others, or a number of buckets that is not positive.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, str | CategoricalColumn):
            raise ValueError(
                f"Unsupported key type. All keys must be either string, or categorical column. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing: hashes of hashes collide more often. "
                f"Use the feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
