# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._events import get_step as get_step
from stratagem._events import set_step as set_step
from stratagem._events import summary_scope as summary_scope
from stratagem._events import write_raw_pb as write_raw_pb

__all__ = [
    "get_step", "set_step", "summary_scope", "write_raw_pb"
]  # fmt: skip
