"""Columns that count ids: `indicator_column`."""

from dataclasses import dataclass
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._columns._column import CategoricalColumn, DenseColumn, SequenceDenseColumn, Tables
from stratagem._columns._entries import counted, sequence_lengths
from stratagem._columns._features import Features
from stratagem._columns._sequences import demand_sequences, refuse_sequences
from stratagem._core.values import TensorShape
from stratagem._ops import Tensor


@final
@dataclass(frozen=True)
class IndicatorColumn(DenseColumn, SequenceDenseColumn):
    """A count of each id in a row, or the sum of its weights."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        """The name of the ids, and `_indicator`."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the ids."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The column of the ids."""
        return [self.categorical_column]

    @property
    def variable_shape(self) -> TensorShape:
        """One, and the number of ids."""
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform(self, features: Features) -> Tensor:
        """Returns the counts, float32: (batch, ..., num_buckets)."""
        return counted(self.categorical_column.entries(features), self.categorical_column.num_buckets)

    def dense(self, features: Features, tables: Tables) -> Tensor:
        """Returns the counts. Raises ValueError for ids in sequences."""
        refuse_sequences("indicator_column", self.name, self.categorical_column)
        return features.of(self)

    def steps(self, features: Features, tables: Tables) -> tuple[Tensor, Tensor]:
        """Returns the counts of each step, and the number of steps."""
        demand_sequences("indicator_column", self.name, self.categorical_column)
        return features.of(self), sequence_lengths(self.categorical_column.entries(features).present)


@exported("feature_column.indicator_column")
def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """Returns a column that counts the ids of another one. Raises ValueError for what is no categorical column."""
    column: Any = categorical_column
    if not isinstance(column, CategoricalColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {column}")
    return IndicatorColumn(column)
