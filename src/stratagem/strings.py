"""`tf.strings`: text as tensors."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.text import as_string as as_string
from stratagem._ops.text import format as format
from stratagem._ops.text import join as join
from stratagem._ops.text import length as length
from stratagem._ops.text import lower as lower
from stratagem._ops.text import strip as strip
from stratagem._ops.text import to_number as to_number
from stratagem._ops.text import upper as upper

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("strings", name)
