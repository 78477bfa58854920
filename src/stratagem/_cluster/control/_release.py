"""What frees a task's main thread from a collective once the job has failed."""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import final

from stratagem._base.job import Phase
from stratagem._cluster.control import _stacks
from stratagem._cluster.control._limits import Limits
from stratagem._cluster.control._progress import Progress

logger = logging.getLogger("stratagem.cluster")

_RELEASE_SECONDS = 15.0  # from a failure until the main thread has to be out of a collective
_RELEASE_PAUSE = 0.5  # between two attempts
_INSIST_SECONDS = 10.0  # for one attempt


@final
class Release:
    """Breaks what the main thread waits in, and ends the process if it does not come out: nothing else can free it.

    progress: where this task is.
    """

    def __init__(self, progress: Progress, limits: Limits) -> None:
        self._progress = progress
        self._limits = {Phase.COLLECTIVE: _RELEASE_SECONDS, Phase.COMPILING: limits.compile}
        self._breaks: list[Callable[[], None]] = []
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def begun(self) -> bool:
        """True once the job has failed."""
        return self._thread is not None

    def by(self, callback: Callable[[], None]) -> None:
        """Call this, in another thread, when the job has failed, and again while the main thread waits: it breaks its wait."""
        self._breaks.append(callback)

    def begin(self, error: Callable[[], Exception]) -> None:
        """The job has failed. error: that of the job, at the step where this task is then."""
        self._thread = threading.Thread(target=self._insist, args=(error,), name="stratagem end", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """The process is about to end: the thread looks at JAX's objects, and Python must not end it there, which aborts."""
        if self._thread is not None:
            self._ending.set()
            self._thread.join(_INSIST_SECONDS)

    def _insist(self, error: Callable[[], Exception]) -> None:
        failed, released = time.monotonic(), False
        while not self._ending.wait(_RELEASE_PAUSE if released else 0.0):
            position = self._progress.position
            if position.phase in self._limits or not released:  # again and again: connections may be made anew
                for callback in self._breaks:
                    callback()
                released = True
            if time.monotonic() - max(position.since, failed) > self._limits.get(position.phase, float("inf")):
                logger.critical("%s\nThis task cannot be freed from its collective: it ends.", error())
                _stacks.show()
                os._exit(1)
