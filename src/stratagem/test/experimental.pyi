# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._test_cases import sync_devices as sync_devices

__all__ = [
    "sync_devices"
]  # fmt: skip
