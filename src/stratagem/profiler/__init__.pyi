# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.profiler import experimental as experimental

__all__ = [
    "experimental"
]  # fmt: skip
