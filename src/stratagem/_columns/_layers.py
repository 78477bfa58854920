"""`DenseFeatures` and `SequenceFeatures`: layers that make dense tensors of dicts of features."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._columns._column import (
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    deserialized,
    plain,
    serialized,
    sorted_columns,
)
from stratagem._columns._embeddings import EmbeddingColumn, EmbeddingTable, SharedEmbeddingColumn
from stratagem._columns._features import Features
from stratagem._ops import Assert, Tensor, is_traced
from stratagem._private import accept_any_input


def check_batch_sizes(tensors: Sequence[Tensor], columns: Sequence[FeatureColumn]) -> None:
    """Raises ValueError unless all tensors have the same number of rows."""
    for found, column in zip(tensors, columns, strict=True):
        if found.shape[0] != tensors[0].shape[0]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({columns[0].name}, {column.name}): ({tensors[0].shape[0]}, {found.shape[0]})"
            )


@final
class TableLayer(keras.Layer):  # type: ignore[misc]
    """A table of embeddings. It is a layer of its own so that its variable is called as in TensorFlow, by its column."""

    def __init__(self, name: str, table: EmbeddingTable) -> None:
        super().__init__(name=re.sub(r"[^A-Za-z0-9_.\-]", "_", name), trainable=table.trainable)
        self._table = table
        self.embedding_weights: Any = None

    def build(self, input_shape: Any = None) -> None:
        """Creates the variable."""
        shape, first = self._table.shape, self._table.initializer
        self.embedding_weights = self.add_weight("embedding_weights", shape, initializer=first, dtype="float32")
        self.built = True


def _table(column: FeatureColumn) -> TableLayer | None:
    """The table of a column; columns that share one have the same."""
    if isinstance(column, SharedEmbeddingColumn):
        return column.shared_embedding_column_creator.made(TableLayer)
    return TableLayer(column.name, column.table) if isinstance(column, EmbeddingColumn) else None


class _FeaturesLayer(keras.Layer):  # type: ignore[misc]
    """A layer with the variables of columns."""

    _expected: type[FeatureColumn]

    def __init__(
        self,
        feature_columns: FeatureColumn | Iterable[FeatureColumn],
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        columns = sorted_columns(feature_columns)
        for column in columns:
            if not isinstance(column, self._expected):
                raise ValueError(
                    f"Items of feature_columns must be a {self._expected}. You can wrap a categorical column with an "
                    f"embedding_column or indicator_column. Given: {column}"
                )
        super().__init__(name=name, trainable=trainable, **kwargs)
        accept_any_input(self)
        self._feature_columns: list[Any] = columns
        self._tables = [_table(column) for column in columns]

    def __call__(self, features: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the layer. Raises ValueError for what is no dict.

        Keras gets the features as one object: it does not take strings, sparse tensors and arrays beside tensors in a dict.
        """
        if not isinstance(features, Mapping):
            raise ValueError(f"We expected a dictionary here. Instead we got: {features!r:.200}")
        if any(isinstance(value, keras.KerasTensor) for value in features.values()):
            return super().__call__(features, *args, **kwargs)
        return super().__call__(Features(features), *args, **kwargs)

    def get_build_config(self) -> dict[str, Any] | None:
        """Returns that the layer is built: its variables do not depend on the features. None, if it is not."""
        return {"built": True} if self.built else None

    def build_from_config(self, config: Mapping[str, Any]) -> None:
        """Creates the variables."""
        if config["built"]:  # files of older versions have False, too
            self.build()

    def of(self, column: FeatureColumn) -> Any:
        """Returns the table of embeddings of a column."""
        table = self._tables[self._feature_columns.index(column)]
        return None if table is None else table.embedding_weights

    def build(self, input_shape: Any = None) -> None:
        """Creates the variables of the columns."""
        for table in self._tables:
            if table is not None and not table.built:
                table.build()
        self.built = True

    @property
    def _width(self) -> int:
        """The size of the last dimension of the output."""
        return sum(_elements(column) for column in self._feature_columns)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments: columns as TensorFlow describes them, with the words of vocabulary files.

        Raises the errors of `file_errors` for a vocabulary file that is gone.
        """
        columns = [serialized(column.for_files()) for column in self._feature_columns]
        return {**super().get_config(), "feature_columns": columns, "partitioner": None}

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """Returns the layer that `get_config` describes. custom_objects: functions and initializers by name."""
        made: dict[str, FeatureColumn] = {}
        columns = [deserialized(plain(c), custom_objects, made) for c in plain(config["feature_columns"])]
        others = {key: v for key, v in config.items() if key not in ("feature_columns", "partitioner")}
        return cls(columns, **others)


def _elements(column: Any) -> int:
    return int(np.prod(tuple(column.variable_shape), dtype=int))


def _batch_size(features: Mapping[str, Any]) -> int | None:
    return next((f.shape[0] for f in features.values() if isinstance(f, keras.KerasTensor)), None)


@exported("keras.layers.DenseFeatures")
@final
@keras.saving.register_keras_serializable("stratagem")
class DenseFeatures(_FeaturesLayer):
    """`tf.keras.layers.DenseFeatures`: what columns make of a dict of features, one after the other in the order of names.

    Raises ValueError for columns that are no dense ones, for none, and for equal names.
    """

    _expected = DenseColumn

    def call(
        self,
        features: Features,
        cols_to_output_tensors: dict[FeatureColumn, Tensor] | None = None,
        training: Any = None,
    ) -> Tensor:
        """Returns a tensor (batch, size of all columns), float32.

        cols_to_output_tensors: gets the part of each column. Raises ValueError for features that are not there, and for
        different numbers of rows.
        """
        found = []
        for column in self._feature_columns:
            dense = column.dense(features, self)
            found.append(dense.reshape((dense.shape[0], _elements(column))))
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = found[-1]
        check_batch_sizes(found, self._feature_columns)
        return jnp.concatenate(found, axis=-1)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the shape of the output: of the shapes of all features, or of one."""
        shape = next(iter(input_shape.values())) if isinstance(input_shape, Mapping) else input_shape
        return (shape[0], self._width)

    def compute_output_spec(self, features: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Returns the symbolic output for symbolic features."""
        return keras.KerasTensor((_batch_size(features), self._width), dtype="float32")


@exported("keras.experimental.SequenceFeatures")
@final
@keras.saving.register_keras_serializable("stratagem")
class SequenceFeatures(_FeaturesLayer):
    """`tf.keras.experimental.SequenceFeatures`: what columns of sequences make of a dict of features, and their lengths.

    Raises ValueError for columns that are none of sequences, for none, and for equal names.
    """

    _expected = SequenceDenseColumn

    def call(self, features: Features, training: Any = None) -> tuple[Tensor, Tensor]:
        """Returns a tensor (batch, steps, size of all columns), and the number of steps of each row, int64.

        Raises ValueError for features that are not there, and InvalidArgumentError for sequences of different lengths.
        """
        found, lengths = [], []
        for column in self._feature_columns:
            dense, length = column.steps(features, self)
            found.append(dense.reshape((*dense.shape[:2], _elements(column))))
            lengths.append(length)
        check_batch_sizes(lengths, self._feature_columns)
        for length in lengths[1:]:
            _check_equal(lengths[0], length)
        if len({dense.shape[1] for dense in found}) > 1:
            raise InvalidArgumentError(
                f"SequenceFeatures: columns have different numbers of steps: {[dense.shape[1] for dense in found]}."
            )
        return jnp.concatenate(found, axis=-1), lengths[0]

    def compute_output_shape(self, input_shape: Any) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
        """Returns the shapes of the output and of the lengths: of the shapes of all features, or of one."""
        shape = next(iter(input_shape.values())) if isinstance(input_shape, Mapping) else input_shape
        return (shape[0], shape[1], self._width), (shape[0],)

    def compute_output_spec(self, features: Mapping[str, Any], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Returns the symbolic outputs for symbolic features."""
        batch = _batch_size(features)
        dense = keras.KerasTensor((batch, None, self._width), dtype="float32")
        return dense, keras.KerasTensor((batch,), dtype="int64")


def _check_equal(first: Tensor, second: Tensor) -> None:
    text = "SequenceFeatures: the sequences of all columns must have the same lengths."
    if is_traced([first, second]):
        Assert(jnp.all(first == second), [text])
    elif not np.array_equal(first, second):
        raise InvalidArgumentError(f"{text} Got {np.asarray(first)} and {np.asarray(second)}.")
