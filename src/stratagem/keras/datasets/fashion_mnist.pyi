# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data import load_fashion_mnist as load_data

__all__ = [
    "load_data"
]  # fmt: skip
