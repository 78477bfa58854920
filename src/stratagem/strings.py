"""`tf.strings`: text as tensors."""

from stratagem.ops import not_provided as _not_provided
from stratagem.ops.text import as_string as as_string
from stratagem.ops.text import format as format
from stratagem.ops.text import join as join
from stratagem.ops.text import length as length
from stratagem.ops.text import lower as lower
from stratagem.ops.text import strip as strip
from stratagem.ops.text import to_number as to_number
from stratagem.ops.text import upper as upper


def __getattr__(name: str) -> object:
    raise _not_provided("strings", name)
