"""tf.compat.v1.strings: the names of tf.strings, some with other arguments."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.reordered import reduce_join as reduce_join
from stratagem._tf1.graph.functions.reordered import string_length as length  # noqa: F401
from stratagem._tf1.graph.functions.reordered import string_to_hash_bucket as to_hash_bucket  # noqa: F401
from stratagem._tf1.graph.functions.reordered import string_to_number as to_number  # noqa: F401
from stratagem._tf1.graph.functions.reordered import substr as substr
from stratagem._tf1.graph.functions.splits import split as split
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("strings", name)
