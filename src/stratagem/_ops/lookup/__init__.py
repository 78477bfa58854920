"""Look-up tables: `tf.lookup`. A folder of its own, because a table has parts that only tables share."""

from stratagem._ops.lookup._initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from stratagem._ops.lookup._initializers import NoEntries as NoEntries
from stratagem._ops.lookup._initializers import TableInitializer as TableInitializer
from stratagem._ops.lookup._initializers import TextFileIndex as TextFileIndex
from stratagem._ops.lookup._initializers import TextFileInitializer as TextFileInitializer
from stratagem._ops.lookup._mutable_tables import encoded_array as encoded_array
from stratagem._ops.lookup._spans import StringSpans as StringSpans
from stratagem._ops.lookup._static_tables import StaticHashTable as StaticHashTable
from stratagem._ops.lookup._static_tables import StaticVocabularyTable as StaticVocabularyTable
