# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._legacy import compute_weighted_loss as compute_weighted_loss

__all__ = [
    "compute_weighted_loss"
]  # fmt: skip
