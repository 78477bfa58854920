# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._checkpoints import PythonState as PythonState

__all__ = [
    "PythonState"
]  # fmt: skip
