# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from stratagem._ops.lookup import StaticHashTable as StaticHashTable
from stratagem._ops.lookup import StaticVocabularyTable as StaticVocabularyTable
from stratagem._ops.lookup import TextFileIndex as TextFileIndex
from stratagem._ops.lookup import TextFileInitializer as TextFileInitializer
from stratagem.lookup import experimental as experimental

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer",
    "experimental"
]  # fmt: skip
