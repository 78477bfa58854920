"""`tf.bitwise`: integers bit by bit."""

from stratagem.ops import bitwise_and as bitwise_and
from stratagem.ops import bitwise_or as bitwise_or
from stratagem.ops import bitwise_xor as bitwise_xor
from stratagem.ops import invert as invert
from stratagem.ops import left_shift as left_shift
from stratagem.ops import not_provided as _not_provided
from stratagem.ops import right_shift as right_shift


def __getattr__(name: str) -> object:
    raise _not_provided("bitwise", name)
