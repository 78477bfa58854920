"""`tf.nest`: nested structures."""

from stratagem import _hooks
from stratagem._ops import assert_same_structure as assert_same_structure
from stratagem._ops import flatten as flatten
from stratagem._ops import is_nested as is_nested
from stratagem._ops import map_structure as map_structure
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import pack_sequence_as as pack_sequence_as

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("nest", name)
