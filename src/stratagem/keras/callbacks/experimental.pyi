# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.callbacks import BackupAndRestore as BackupAndRestore

__all__ = [
    "BackupAndRestore"
]  # fmt: skip
