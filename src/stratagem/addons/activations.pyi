# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._addons import gelu as gelu
from stratagem._addons import hardshrink as hardshrink
from stratagem._addons import lisht as lisht
from stratagem._addons import mish as mish
from stratagem._addons import rrelu as rrelu
from stratagem._addons import snake as snake
from stratagem._addons import softshrink as softshrink
from stratagem._addons import sparsemax as sparsemax
from stratagem._addons import tanhshrink as tanhshrink

__all__ = [
    "gelu", "hardshrink", "lisht", "mish", "rrelu", "snake", "softshrink", "sparsemax", "tanhshrink"
]  # fmt: skip
