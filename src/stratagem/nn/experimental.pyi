# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.sampling import general_dropout as general_dropout
from stratagem._ops.sampling import stateless_dropout as stateless_dropout

__all__ = [
    "general_dropout", "stateless_dropout"
]  # fmt: skip
