# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import bitwise_and as bitwise_and
from stratagem._ops import bitwise_or as bitwise_or
from stratagem._ops import bitwise_xor as bitwise_xor
from stratagem._ops import invert as invert
from stratagem._ops import left_shift as left_shift
from stratagem._ops import right_shift as right_shift

__all__ = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"
]  # fmt: skip
