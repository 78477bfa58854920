# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import from_dlpack as from_dlpack
from stratagem._ops import to_dlpack as to_dlpack

__all__ = [
    "from_dlpack", "to_dlpack"
]  # fmt: skip
