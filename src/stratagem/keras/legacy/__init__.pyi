# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.legacy import saving as saving

__all__ = [
    "saving"
]  # fmt: skip
