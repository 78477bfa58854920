# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.lookup import DenseHashTable as DenseHashTable
from stratagem._ops.lookup import MutableHashTable as MutableHashTable

__all__ = [
    "DenseHashTable", "MutableHashTable"
]  # fmt: skip
