# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.compat.v1 import flags as flags
from stratagem.compat.v1._app import run as run

__all__ = [
    "flags", "run"
]  # fmt: skip
