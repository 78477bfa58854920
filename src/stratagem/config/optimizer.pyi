# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._devices import get_experimental_options as get_experimental_options
from stratagem._devices import get_jit as get_jit
from stratagem._devices import set_experimental_options as set_experimental_options
from stratagem._devices import set_jit as set_jit

__all__ = [
    "get_experimental_options", "get_jit", "set_experimental_options", "set_jit"
]  # fmt: skip
