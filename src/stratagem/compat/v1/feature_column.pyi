# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._columns import shared_embeddings as shared_embedding_columns
from stratagem._tf1.graph.columns import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from stratagem._tf1.graph.columns import input_layer as input_layer
from stratagem._tf1.graph.columns import linear_model as linear_model
from stratagem.feature_column import bucketized_column as bucketized_column
from stratagem.feature_column import categorical_column_with_hash_bucket as categorical_column_with_hash_bucket
from stratagem.feature_column import categorical_column_with_identity as categorical_column_with_identity
from stratagem.feature_column import categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list
from stratagem.feature_column import crossed_column as crossed_column
from stratagem.feature_column import embedding_column as embedding_column
from stratagem.feature_column import indicator_column as indicator_column
from stratagem.feature_column import make_parse_example_spec as make_parse_example_spec
from stratagem.feature_column import numeric_column as numeric_column
from stratagem.feature_column import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from stratagem.feature_column import (
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
)
from stratagem.feature_column import (
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
)
from stratagem.feature_column import (
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
)
from stratagem.feature_column import sequence_numeric_column as sequence_numeric_column
from stratagem.feature_column import weighted_categorical_column as weighted_categorical_column

__all__ = [
    "bucketized_column", "categorical_column_with_hash_bucket", "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file", "categorical_column_with_vocabulary_list", "crossed_column",
    "embedding_column", "indicator_column", "input_layer", "linear_model", "make_parse_example_spec", "numeric_column",
    "sequence_categorical_column_with_hash_bucket", "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file", "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column", "shared_embedding_columns", "weighted_categorical_column"
]  # fmt: skip
