"""Columns of embeddings: `embedding_column`, `shared_embeddings`."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar, final

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._base.types import UserFunction
from stratagem._checkpoints import load_variable
from stratagem._columns._column import CategoricalColumn, DenseColumn, FeatureColumn, SequenceDenseColumn, Tables
from stratagem._columns._crosses import WeightedCategoricalColumn
from stratagem._columns._entries import Entries, combined, sequence_lengths
from stratagem._columns._features import Features
from stratagem._columns._sequences import SequenceCategoricalColumn, demand_sequences, refuse_sequences
from stratagem._core.values import TensorShape
from stratagem._ops import Tensor
from stratagem._private import refuse_in_safe_mode

T = TypeVar("T")


@final
@dataclass(frozen=True)
class EmbeddingTable:
    """The variable that a column needs. initializer: called with the shape and the dtype."""

    shape: tuple[int, int]
    initializer: UserFunction
    trainable: bool


def first_values(initializer: UserFunction, checkpoint: str | None, name: str | None) -> UserFunction:
    """Returns the initializer, or one that reads the values of this name in a checkpoint."""
    if checkpoint is None or name is None:
        return initializer
    path, key = checkpoint, name

    def read(shape: Sequence[int], dtype: Any = None, **unused: Any) -> np.ndarray:
        found = load_variable(path, key)
        if found.shape != tuple(shape):
            raise ValueError(f"{key} in the checkpoint {path} has the shape {found.shape}, the column's table {shape}.")
        return found.astype(np.float32)

    return read


def checked_initializer(
    dimension: int, initializer: UserFunction | None, checkpoint: str | None, name: str | None, column: str
) -> UserFunction:
    """Returns the initializer, by default a truncated normal distribution of the deviation 1/sqrt(dimension).

    Raises ValueError for a dimension that is not positive, half the arguments of a checkpoint, and what cannot be called.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (name is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if checkpoint is not None:
        checked_path(checkpoint)  # which refuses one of another machine
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. Embedding of column_name: {column}")
    return initializer or keras.initializers.TruncatedNormal(0.0, 1 / math.sqrt(dimension))


class _Embedded(DenseColumn, SequenceDenseColumn):
    """A column of which rows of a table are made."""

    categorical_column: CategoricalColumn
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the ids."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The column of the ids."""
        return [self.categorical_column]

    def transform(self, features: Features) -> Entries:
        """Returns the ids."""
        return self.categorical_column.entries(features)

    def dense(self, features: Features, tables: Tables) -> Tensor:
        """Returns the combined rows of the table: (batch, dimension). Raises ValueError for ids in sequences."""
        refuse_sequences("embedding_column", self.name, self.categorical_column)
        return self._combined(features, tables)

    def steps(self, features: Features, tables: Tables) -> tuple[Tensor, Tensor]:
        """Returns the combined rows of each step: (batch, steps, dimension), and the number of steps."""
        demand_sequences("embedding_column", self.name, self.categorical_column)
        return self._combined(features, tables), sequence_lengths(features.of(self).present)

    def _combined(self, features: Features, tables: Tables) -> Tensor:
        safe = self.use_safe_embedding_lookup
        return combined(tables.of(self), features.of(self), self.combiner, self.max_norm, safe=safe)


@final
@dataclass(frozen=True)
class EmbeddingColumn(_Embedded):
    """Rows of a table of its own for ids."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: UserFunction
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True

    def __post_init__(self) -> None:
        if self.ckpt_to_load_from is not None:
            refuse_in_safe_mode("feature column", f"reads the checkpoint {self.ckpt_to_load_from!r}")

    def for_files(self) -> FeatureColumn:
        """Returns the column without the checkpoint of its first values: a saved model has the present ones."""
        return FeatureColumn.for_files(replace(self, ckpt_to_load_from=None, tensor_name_in_ckpt=None))

    @property
    def name(self) -> str:
        """The name of the ids, and `_embedding`."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        """The dimension."""
        return TensorShape([self.dimension])

    @property
    def table(self) -> EmbeddingTable:
        """The variable that the column needs."""
        first = first_values(self.initializer, self.ckpt_to_load_from, self.tensor_name_in_ckpt)
        return EmbeddingTable((self.categorical_column.num_buckets, self.dimension), first, self.trainable)


@exported("feature_column.embedding_column")
def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: UserFunction | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Returns a column of embeddings of another column's ids.

    combiner: mean, sqrtn or sum of the rows of several ids. initializer: by default a truncated normal distribution of the
    deviation 1/sqrt(dimension). ckpt_to_load_from, tensor_name_in_ckpt: where the first values are read instead. max_norm:
    to which rows are scaled down. use_safe_embedding_lookup: False lets ids whose weights are not positive count, too.

    Raises ValueError for a dimension that is not positive, half the arguments of a checkpoint, and what cannot be called.
    """
    first = checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, categorical_column.name)
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        first,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


@final
class SharedTable:
    """The table that several columns share. What has its variable is made by the first layer that uses one of them."""

    def __init__(self, name: str, table: EmbeddingTable) -> None:
        self.name, self.table = name, table
        self._made: Any = None

    def made(self, make: Callable[[str, EmbeddingTable], T]) -> T:
        """Returns what `make` makes of the name and the table, or has made earlier."""
        if self._made is None:
            self._made = make(self.name, self.table)
        found: T = self._made
        return found


@final
@dataclass(frozen=True)
class SharedEmbeddingColumn(_Embedded):
    """Rows of a table that other columns use, too, for ids."""

    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedTable
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True

    @property
    def name(self) -> str:
        """The name of the ids, and `_shared_embedding`."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        """The dimension."""
        return TensorShape([self.shared_embedding_column_creator.table.shape[1]])

    def get_config(self) -> NoReturn:
        """Raises NotImplementedError, as in TensorFlow: one description alone cannot say which columns share its table."""
        raise NotImplementedError(f"{self.name}: columns of shared_embeddings have no description of their own.")


def _shareable(categorical_columns: Sequence[CategoricalColumn]) -> list[CategoricalColumn]:
    """Returns columns in the order of their names. Raises ValueError unless one table fits all of them."""
    columns: list[Any] = sorted(categorical_columns, key=lambda column: column.name)
    if not isinstance(columns[0], CategoricalColumn):
        raise ValueError(
            f"All categorical_columns must be subclasses of CategoricalColumn. Given: {columns[0]}, of type: {type(columns[0])}"
        )
    first, *others = [_inner(column) for column in columns]
    for other in others:
        if type(other) is not type(first):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column or sequence column of the same type. Given column: {first} does not match "
                f"given column: {other}"
            )
        if other.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: "
                f"{first} with buckets: {first.num_buckets} does not match column: {other} with buckets: {other.num_buckets}"
            )
    return columns


def _inner(column: FeatureColumn) -> Any:
    while isinstance(column, WeightedCategoricalColumn | SequenceCategoricalColumn):
        column = column.categorical_column
    return column


@exported("feature_column.shared_embeddings", v1=["feature_column.shared_embedding_columns"])
def shared_embeddings(
    categorical_columns: Sequence[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: UserFunction | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Returns a column of embeddings for each column of ids, all of which share one table, also between layers.

    shared_embedding_collection_name: of the variable. Arguments and errors otherwise as those of `embedding_column`; and
    ValueError for columns of different types or numbers of buckets. TensorFlow has it in graphs only.
    """
    names = ", ".join(column.name for column in categorical_columns)
    first = checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, names)
    columns = _shareable(categorical_columns)
    name = shared_embedding_collection_name or "_".join(column.name for column in columns) + "_shared_embedding"
    values = first_values(first, ckpt_to_load_from, tensor_name_in_ckpt)
    table = SharedTable(name, EmbeddingTable((columns[0].num_buckets, dimension), values, trainable))
    return [
        SharedEmbeddingColumn(column, table, combiner, max_norm, use_safe_embedding_lookup)
        for column in categorical_columns
    ]
