"""Locks between processes. The system gives a lock back when its process ends, however it ends."""

import contextlib
import fcntl
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

_LOOK_SECONDS = 0.01


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Runs the body while this process alone has the lock file `path`, which is made if it is missing.

    The body may remove the file: a process that waited for it makes a new one. Only this user can open it.
    Raises BlockingIOError if another process has the lock and `wait` is False.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not take_lock(handle, math.inf if wait else 0.0):
                raise BlockingIOError(f"Another process has the lock {path}.")
            if _is_at(path, handle):
                yield
                return
        finally:
            os.close(handle)


def take_lock(handle: int, seconds: float = math.inf) -> bool:
    """Takes the lock of an open file or directory; closing `handle` gives it back.

    Returns False if another process still has it after `seconds`. Raises OSError where the file system has no locks.
    """
    if seconds == math.inf:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return True
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_LOOK_SECONDS)
        else:
            return True


def is_locked(path: Path) -> bool:
    """Returns whether a process has the lock of a file; False if there is no such file."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two that ask at once do not find each other
        except BlockingIOError:
            return True
    return False


def _is_at(path: Path, handle: int) -> bool:
    """Returns whether the open file still has this path: it may have been removed while this process waited for its lock."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
