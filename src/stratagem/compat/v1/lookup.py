"""tf.compat.v1.lookup: the tables of tf.lookup, the static ones with an `initializer`."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.tables import InitializedHashTable as StaticHashTable  # noqa: F401
from stratagem._tf1.graph.functions.tables import InitializedVocabularyTable as StaticVocabularyTable  # noqa: F401
from stratagem.compat.v1._names import public_name as _public_name
from stratagem.lookup import experimental as experimental


def __getattr__(name: str) -> _Any:
    return _public_name("lookup", name)
