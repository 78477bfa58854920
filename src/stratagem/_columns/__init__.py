"""Feature columns: what a model makes of a dict of features, as `tf.feature_column` describes it.

In: columns, and dicts of dense, sparse and ragged tensors of numbers and strings.
Out: dense tensors, computed in compiled steps too; what strings and sparse tensors say is found on the host before them.
Never: puts a string into a program, or lets the number of entries of a batch decide about shapes beyond the longest row.
"""

from stratagem._columns._categories import VocabularyFileCategoricalColumn as VocabularyFileCategoricalColumn
from stratagem._columns._categories import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from stratagem._columns._column import CategoricalColumn as CategoricalColumn
from stratagem._columns._column import DenseColumn as DenseColumn
from stratagem._columns._column import FeatureColumn as FeatureColumn
from stratagem._columns._column import make_parse_example_spec as make_parse_example_spec
from stratagem._columns._column import sorted_columns as sorted_columns
from stratagem._columns._embeddings import EmbeddingTable as EmbeddingTable
from stratagem._columns._embeddings import SharedEmbeddingColumn as SharedEmbeddingColumn
from stratagem._columns._entries import combined as combined
from stratagem._columns._features import Features as Features
from stratagem._columns._host_kinds import describe_columns as describe_columns
from stratagem._columns._indicator import indicator_column as indicator_column
from stratagem._columns._layers import check_batch_sizes as check_batch_sizes
from stratagem._columns._numeric import NumericColumn as NumericColumn
from stratagem._columns._numeric import numeric_column as numeric_column
