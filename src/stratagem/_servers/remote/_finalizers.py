"""Finalized: numbers of objects that were garbage-collected, for those who keep something on their behalf elsewhere."""

import contextlib
import weakref
from collections import deque
from typing import Any, final


@final
class Finalized:
    """Thread-safe. The collector may run in any thread, at any moment: it only takes a note here."""

    def __init__(self) -> None:
        self._noted: deque[Any] = deque()

    def watch(self, thing: Any, note: Any) -> None:
        """Note this when the object is gone. note: does not refer to it."""
        weakref.finalize(thing, self._noted.append, note).atexit = False

    def taken(self) -> list[Any]:
        """What was noted since it was last asked."""
        notes: list[Any] = []
        with contextlib.suppress(IndexError):  # empty, perhaps since another thread has taken the last
            while True:
                notes.append(self._noted.popleft())
        return notes
