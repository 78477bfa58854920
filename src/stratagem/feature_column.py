"""`tf.feature_column`: what a model makes of a dict of features."""

from stratagem import _hooks
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
from stratagem._ops import not_provided as _not_provided

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("feature_column", name)
