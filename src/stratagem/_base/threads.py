"""Coordinator: asks a program's threads to stop together, waits for them, and reports the error that one of them has had."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import final

from stratagem._base.errors import OutOfRangeError
from stratagem._base.exports import exported

_log = logging.getLogger("stratagem.threads")

_POLL_SECONDS = 0.05  # the longest time until `join`, which waits for one thread, notices a request to stop
_SHORTEST_GRACE = 0.001

ExceptionInfo = (
    BaseException
    | tuple[type[BaseException], BaseException, TracebackType | None]
    | tuple[None, None, None]  # what sys.exc_info() gives when there is no exception
)


@exported("train.Coordinator")
@final
class Coordinator:
    """Coordinates the end of a set of threads, as `tf.train.Coordinator`. Every method may be called by any thread.

    clean_stop_exception_types: exceptions that end the work without being errors; OutOfRangeError if None.
    """

    def __init__(self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None) -> None:
        clean = (OutOfRangeError,) if clean_stop_exception_types is None else clean_stop_exception_types
        self._clean_types = tuple(clean)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._joined = False
        self._registered: set[threading.Thread] = set()

    def request_stop(self, ex: ExceptionInfo | None = None) -> None:
        """Asks the threads to stop.

        ex: an exception, or what `sys.exc_info()` gives. `join` raises the one that comes with the first request, unless it is
        one of the clean types. After `join`, which can no longer raise it, it is raised here.
        """
        error = self._reported(ex)
        with self._lock:
            if self._joined and error is not None:
                raise error
            if self._stop.is_set():
                return
            if error is not None and self._error is None:
                _log.info("Error reported to Coordinator: %s, %s", type(error), error)
                self._error = error
            self._stop.set()

    def clear_stop(self) -> None:
        """Withdraws the request to stop and its error, so that the coordinator can be used again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Returns whether the threads have been asked to stop."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context in which an exception becomes a request to stop, with it as the reason, and does not leave the context."""
        try:
            yield
        except BaseException:
            # KeyboardInterrupt and SystemExit too: `join` raises them, in the thread that waits for this one.
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits for a request to stop, at most `timeout` seconds. Returns whether there is one."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that the next `join` waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until these threads and the registered ones have ended; they have a limited time once they were asked to stop.

        stop_grace_period_secs: that time. ignore_live_threads: only log which threads are alive after it.

        Raises:
            BaseException: the error that came with `request_stop`.
            RuntimeError: there was none, and a thread is alive after that time.
        """
        with self._lock:
            waiting = list(self._registered.union(threads or ()))
        while (alive := _alive(waiting)) and not self._stop.is_set():
            alive[0].join(_POLL_SECONDS)
        deadline = time.monotonic() + max(stop_grace_period_secs, _SHORTEST_GRACE)
        for thread in _alive(waiting):
            thread.join(max(deadline - time.monotonic(), 0.0))
        names = " ".join(thread.name for thread in _alive(waiting))
        with self._lock:
            self._joined = True
            self._registered = set()
            if self._error is not None:
                raise self._error
        if not names:
            return
        if not ignore_live_threads:
            raise RuntimeError(
                f"Coordinator stopped with threads still running: {names}. They had {stop_grace_period_secs} s to end: let "
                "them ask should_stop() more often, or pass ignore_live_threads=True."
            )
        _log.info("Coordinator stopped with threads still running: %s", names)

    @property
    def joined(self) -> bool:
        """True once `join` has ended, until `clear_stop`."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the error that came with `request_stop`, if there was one."""
        with self._lock:
            if self._error is not None:
                raise self._error

    def _reported(self, ex: ExceptionInfo | None) -> BaseException | None:
        """The exception in what a thread has reported; None for one of the clean types."""
        error = ex[1] if isinstance(ex, tuple) else ex
        return None if isinstance(error, self._clean_types) else error


def _alive(threads: Iterable[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threads if thread.is_alive()]
