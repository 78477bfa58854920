# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.tables import InitializedHashTable as StaticHashTable
from stratagem._tf1.graph.functions.tables import InitializedVocabularyTable as StaticVocabularyTable
from stratagem.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from stratagem.lookup import TextFileIndex as TextFileIndex
from stratagem.lookup import TextFileInitializer as TextFileInitializer
from stratagem.lookup import experimental as experimental

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer",
    "experimental"
]  # fmt: skip
