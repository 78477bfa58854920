"""tf.compat.v1.feature_column: columns as in tf.feature_column, `input_layer` and `linear_model`."""

from typing import Any as _Any

from stratagem._columns import shared_embeddings as shared_embedding_columns  # noqa: F401
from stratagem._tf1.graph.columns import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from stratagem._tf1.graph.columns import input_layer as input_layer
from stratagem._tf1.graph.columns import linear_model as linear_model
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("feature_column", name)
