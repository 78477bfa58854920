"""BatchingPolicy: how many functions a worker takes together, and whether it takes turns with other workers to run them."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import final

# A worker takes up to _MAX_BATCH calls of the same function at once, as many as run in _BATCH_SECONDS: fewer messages to the
# worker, or fewer turns.
_MAX_BATCH, _BATCH_SECONDS = 16, 0.05
# In one process, threads that contend for Python's lock lose more than a second core gains, unless a function is mostly
# compiled code. So functions that run for less than _SHORT seconds take turns. A worker with longer ones runs _RUNS_UNLOCKED
# times without a turn before it measures again.
_SHORT, _RUNS_UNLOCKED = 2e-3, 32
_PATIENCE = 0.05  # seconds to wait for a turn


@final
class SoftFairLock:
    """A fair lock that does not insist: a thread that has waited too long goes on without it.

    Threads get it in the order in which they ask. It saves time and protects nothing. Thread-safe.
    """

    def __init__(self) -> None:
        self._next, self._current = threading.Lock(), threading.Lock()

    @contextlib.contextmanager
    def held_if_free_soon(self) -> Iterator[None]:
        """Holds the lock while the body runs, or runs the body without it after a short wait.

        The functions that hold it may wait for each other, or for data.
        """
        acquired = self._acquire()
        try:
            yield
        finally:
            if acquired:
                self._current.release()

    def _acquire(self) -> bool:
        if not self._next.acquire(timeout=_PATIENCE):
            return False
        try:
            return self._current.acquire(timeout=_PATIENCE)
        finally:
            self._next.release()


@final
class BatchingPolicy:
    """Decides how many functions one worker takes next, from the time that the last ones took. Used by one thread.

    max_closures: how many to take at most.

    lock: shared by the workers of this process; None for a worker in another process, which delays no other.
    """

    def __init__(self, lock: SoftFairLock | None) -> None:
        self.max_closures = 1
        self._lock = lock
        self._runs_unlocked = 0  # how many times it still runs without the lock

    @contextlib.contextmanager
    def running(self, functions: int) -> Iterator[None]:
        """Returns a context whose body runs this many functions."""
        lock = self._lock if self._runs_unlocked == 0 else None
        with contextlib.nullcontext() if lock is None else lock.held_if_free_soon():
            began = time.perf_counter()
            try:
                yield
            finally:
                seconds = (time.perf_counter() - began) / functions
        if lock is not None and seconds > _SHORT:
            self._runs_unlocked = _RUNS_UNLOCKED
        elif self._runs_unlocked:
            self._runs_unlocked -= 1
        batch = max(1, int(_BATCH_SECONDS / max(seconds, _BATCH_SECONDS / _MAX_BATCH)))
        self.max_closures = 1 if self._runs_unlocked else batch
