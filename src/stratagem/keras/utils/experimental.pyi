# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._training import DatasetCreator as DatasetCreator

__all__ = [
    "DatasetCreator"
]  # fmt: skip
