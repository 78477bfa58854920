# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import float8_e4m3fn as float8_e4m3fn
from stratagem._ops import float8_e5m2 as float8_e5m2
from stratagem._ops import int4 as int4
from stratagem._ops import uint4 as uint4

__all__ = [
    "float8_e4m3fn", "float8_e5m2", "int4", "uint4"
]  # fmt: skip
