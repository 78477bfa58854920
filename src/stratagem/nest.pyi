# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import assert_same_structure as assert_same_structure
from stratagem._ops import flatten as flatten
from stratagem._ops import is_nested as is_nested
from stratagem._ops import map_structure as map_structure
from stratagem._ops import pack_sequence_as as pack_sequence_as

__all__ = [
    "assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"
]  # fmt: skip
