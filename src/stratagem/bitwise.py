"""`tf.bitwise`: integers bit by bit."""

from stratagem import _hooks
from stratagem._ops import bitwise_and as bitwise_and
from stratagem._ops import bitwise_or as bitwise_or
from stratagem._ops import bitwise_xor as bitwise_xor
from stratagem._ops import invert as invert
from stratagem._ops import left_shift as left_shift
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import right_shift as right_shift

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("bitwise", name)
