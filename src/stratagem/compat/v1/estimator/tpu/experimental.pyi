# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

__all__ = [
]  # fmt: skip
