"""`tf.lookup.experimental`: tables to which keys are added."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.lookup import DenseHashTable as DenseHashTable
from stratagem._ops.lookup import MutableHashTable as MutableHashTable

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("lookup.experimental", name)
