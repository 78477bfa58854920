"""Waits for what other threads and processes will do soon, in place of looking at one moment."""

import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds, on a busy machine


def eventually(true: Callable[[], bool], pause: float = 0.02) -> None:
    """Return as soon as it is true; fail if it is not after a generous time. `pause` seconds pass between two looks."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"not within {PATIENCE:g} s"
        time.sleep(pause)
