# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._events import client_trace as monitor
from stratagem._events import client_trace as trace

__all__ = [
    "monitor", "trace"
]  # fmt: skip
