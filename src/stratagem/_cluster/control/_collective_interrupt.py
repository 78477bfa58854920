"""CollectiveInterrupt: frees a task's main thread from a collective once the job has failed."""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import final

from stratagem._base.job import Phase
from stratagem._cluster.control import _stacks
from stratagem._cluster.control._limits import TimeLimits
from stratagem._cluster.control._progress import SharedProgress

logger = logging.getLogger("stratagem.cluster")

_RELEASE_SECONDS = 15.0  # from a failure until the main thread must have left a collective
_RELEASE_PAUSE = 0.5  # between two attempts
_ATTEMPT_SECONDS = 10.0  # for one attempt


@final
class CollectiveInterrupt:
    """Ends the main thread's wait in a collective, or the process if the thread does not return: nothing else can free it.

    progress: of this task.
    """

    def __init__(self, progress: SharedProgress, limits: TimeLimits) -> None:
        self._progress = progress
        self._limits = {Phase.COLLECTIVE: _RELEASE_SECONDS, Phase.COMPILING: limits.compile}
        self._callbacks: list[Callable[[], None]] = []
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def started(self) -> bool:
        """True if the job has failed."""
        return self._thread is not None

    def add_callback(self, callback: Callable[[], None]) -> None:
        """Adds a function that ends the wait.

        Called in another thread when the job has failed, and again as long as the main thread waits.
        """
        self._callbacks.append(callback)

    def start(self, error: Callable[[], Exception]) -> None:
        """Starts freeing the main thread. error: returns the job's error, at the present step of this task."""
        self._thread = threading.Thread(target=self._run, args=(error,), name="stratagem end", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stops the thread, which uses JAX's objects: the process would abort if Python ended it there."""
        if self._thread is not None:
            self._ending.set()
            self._thread.join(_ATTEMPT_SECONDS)

    def _run(self, error: Callable[[], Exception]) -> None:
        failed, released = time.monotonic(), False
        while not self._ending.wait(_RELEASE_PAUSE if released else 0.0):
            position = self._progress.position
            if position.phase in self._limits or not released:  # repeated, for there may be new connections
                for callback in self._callbacks:
                    callback()
                released = True
            if time.monotonic() - max(position.since, failed) > self._limits.get(position.phase, float("inf")):
                logger.critical("%s\nThis task cannot be freed from its collective: it ends.", error())
                _stacks.show()
                os._exit(1)
