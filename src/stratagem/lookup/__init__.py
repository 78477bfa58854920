"""`tf.lookup`: tables from keys to values."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from stratagem._ops.lookup import StaticHashTable as StaticHashTable
from stratagem._ops.lookup import StaticVocabularyTable as StaticVocabularyTable
from stratagem._ops.lookup import TextFileIndex as TextFileIndex
from stratagem._ops.lookup import TextFileInitializer as TextFileInitializer
from stratagem.lookup import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("lookup", name)
