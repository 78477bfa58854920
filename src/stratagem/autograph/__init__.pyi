# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._autograph import set_verbosity as set_verbosity
from stratagem._autograph import to_code as to_code
from stratagem._autograph import to_graph as to_graph
from stratagem._autograph import trace as trace
from stratagem.autograph import experimental as experimental

__all__ = [
    "experimental", "set_verbosity", "to_code", "to_graph", "trace"
]  # fmt: skip
