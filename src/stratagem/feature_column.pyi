# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._columns import bucketized_column as bucketized_column
from stratagem._columns import categorical_column_with_hash_bucket as categorical_column_with_hash_bucket
from stratagem._columns import categorical_column_with_identity as categorical_column_with_identity
from stratagem._columns import categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file
from stratagem._columns import categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list
from stratagem._columns import crossed_column as crossed_column
from stratagem._columns import embedding_column as embedding_column
from stratagem._columns import indicator_column as indicator_column
from stratagem._columns import make_parse_example_spec as make_parse_example_spec
from stratagem._columns import numeric_column as numeric_column
from stratagem._columns import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from stratagem._columns import sequence_categorical_column_with_identity as sequence_categorical_column_with_identity
from stratagem._columns import (
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
)
from stratagem._columns import (
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
)
from stratagem._columns import sequence_numeric_column as sequence_numeric_column
from stratagem._columns import shared_embeddings as shared_embeddings
from stratagem._columns import weighted_categorical_column as weighted_categorical_column

__all__ = [
    "bucketized_column", "categorical_column_with_hash_bucket", "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file", "categorical_column_with_vocabulary_list", "crossed_column",
    "embedding_column", "indicator_column", "make_parse_example_spec", "numeric_column",
    "sequence_categorical_column_with_hash_bucket", "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file", "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column", "shared_embeddings", "weighted_categorical_column"
]  # fmt: skip
