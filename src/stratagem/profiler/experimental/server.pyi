# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._events import start_profile_server as start

__all__ = [
    "start"
]  # fmt: skip
