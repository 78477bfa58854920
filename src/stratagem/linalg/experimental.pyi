# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.operators import conjugate_gradient as conjugate_gradient

__all__ = [
    "conjugate_gradient"
]  # fmt: skip
