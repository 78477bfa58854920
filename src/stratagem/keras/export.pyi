# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._saved_models import ExportArchive as ExportArchive

__all__ = [
    "ExportArchive"
]  # fmt: skip
