"""BatchingPolicy: how many functions a worker takes together, and whether it waits for its turn to run them."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import final

# Functions that are alike are taken together, as many as run in so many seconds: there is a way to the worker, or a turn.
_MOST, _TOGETHER = 16, 0.05
# In one process, threads that pass Python's lock to and fro lose more than a second core gains, unless most of a function is
# compiled code, which needs no turn. So functions that take less take turns, and a worker looks again now and then.
_SHORT, _AGAIN = 2e-3, 32
_PATIENCE = 0.05


@final
class Turns:
    """Who comes first is first, and who has just had a turn is last. Thread-safe."""

    def __init__(self) -> None:
        self._next, self._now = threading.Lock(), threading.Lock()

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """The body is a turn. It does not wait for long: functions may wait for each other, or for their data."""
        mine = self._begun()
        try:
            yield
        finally:
            if mine:
                self._now.release()

    def _begun(self) -> bool:
        if not self._next.acquire(timeout=_PATIENCE):
            return False
        try:
            return self._now.acquire(timeout=_PATIENCE)
        finally:
            self._next.release()


@final
class BatchingPolicy:
    """A worker's. most: how many functions it is to take. Used by one thread.

    turns: of the workers of this process; None for a worker elsewhere, which keeps nobody up.
    """

    def __init__(self, turns: Turns | None) -> None:
        self.most = 1
        self._turns = turns
        self._free = 0  # so often it runs something before it takes a turn again

    @contextlib.contextmanager
    def running(self, functions: int) -> Iterator[None]:
        """The body runs so many."""
        turn = self._turns if self._free == 0 else None
        with contextlib.nullcontext() if turn is None else turn.one():
            began = time.perf_counter()
            try:
                yield
            finally:
                seconds = (time.perf_counter() - began) / functions
        if turn is not None and seconds > _SHORT:
            self._free = _AGAIN
        elif self._free:
            self._free -= 1
        self.most = 1 if self._free else max(1, int(_TOGETHER / max(seconds, _TOGETHER / _MOST)))
