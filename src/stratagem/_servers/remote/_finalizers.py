"""Finalized: a queue of notes on objects that were garbage-collected, whose counterparts elsewhere can be dropped."""

import contextlib
import weakref
from collections import deque
from typing import Any, final


@final
class FinalizationQueue:
    """Collects one note for each watched object that is garbage-collected. Thread-safe.

    The garbage collector may run in any thread at any moment; here it only appends to a deque.
    """

    def __init__(self) -> None:
        self._noted: deque[Any] = deque()

    def watch(self, thing: Any, note: Any) -> None:
        """Adds `note` when the object is collected. The note must not refer to the object."""
        weakref.finalize(thing, self._noted.append, note).atexit = False

    def drain(self) -> list[Any]:
        """Removes and returns the notes that have come since the last call."""
        notes: list[Any] = []
        with contextlib.suppress(IndexError):  # empty; another thread may have taken the last one
            while True:
                notes.append(self._noted.popleft())
        return notes
