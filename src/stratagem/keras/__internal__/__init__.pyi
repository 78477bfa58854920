# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.__internal__ import losses as losses

__all__ = [
    "losses"
]  # fmt: skip
