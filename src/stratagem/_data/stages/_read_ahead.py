"""Computes elements ahead of their use: in a thread if that may take long, immediately if it is cheap."""

import abc
import atexit
import contextlib
import contextvars
import dataclasses
import functools
import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, final

from stratagem._core.context import change
from stratagem._data.elements._nest import weight
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator

Result = tuple[Any, State]  # an element, or a `FailedElement`, and the state of the iteration after it


class SerialExecutor(abc.ABC):
    """Runs the jobs that compute elements ahead."""

    @abc.abstractmethod
    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        """Submits a job; jobs run one after another."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Accepts no more jobs."""


@final
class InlineExecutor(SerialExecutor):
    """Runs jobs in the caller: for elements that are cheap to make and are then transferred to a device asynchronously."""

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        _run(job, future)
        return future

    def stop(self) -> None:
        pass


@final
class ThreadExecutor(SerialExecutor):
    """Runs jobs in one thread, started with the first job, in the creator's context but never under its trace.

    It is a daemon: a source that blocks forever must not keep the program from ending. With several threads, jobs
    start one after another and run in parallel.
    """

    _JOIN_SECONDS = 0.5

    def __init__(self, threads: int = 1) -> None:
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Result], Future[Result]] | None] = queue.SimpleQueue()
        self._context = contextvars.copy_context()
        self._context.run(change, recorder=None)
        self._count = threads
        self._threads: list[threading.Thread] = []
        _in_threads.add(self)

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        if not self._threads:
            for _ in range(self._count):
                run = self._context.copy().run  # a context cannot be entered twice at the same time
                thread = threading.Thread(
                    target=run, args=(_run_jobs, self._jobs), name="stratagem-read-ahead", daemon=True
                )
                thread.start()
                self._threads.append(thread)
        future: Future[Result] = Future()
        self._jobs.put((job, future))
        return future

    def cancel(self) -> None:
        """Discards the jobs that have not begun."""
        with contextlib.suppress(queue.Empty):
            while (waiting := self._jobs.get_nowait()) is not None:
                waiting[1].cancel()

    def stop(self) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        # The thread itself may drop the last reference, and a job may be stuck in user code: wait, but not forever.
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(self._JOIN_SECONDS)


_in_threads: weakref.WeakSet[ThreadExecutor] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Stops all threads before Python ends, which would kill daemons inside of JAX and abort the process (std::terminate)."""
    executors = list(_in_threads)
    for executor in executors:
        executor.cancel()
    for executor in executors:
        executor.stop()


@final
class ReadAheadIterator(StageIterator):
    """Keeps the next `depth` elements of another iterator ready.

    grows: whether it keeps twice as many, up to 16 of a megabyte together, each time that it had all of them and then none when
    one was requested: of a source that makes some at once, and then none for a while. Each wait costs a change of threads.
    An error reaches the caller at the element that it belongs to. The state is that of the next element to return.
    """

    _MAX_DEPTH = 16
    _MAX_WEIGHT = 1 << 20

    def __init__(self, parent: StageIterator, depth: int, executor: SerialExecutor, *, grows: bool = False) -> None:
        super().__init__(parent)
        self._source = parent
        self._depth = depth
        self._grows, self._was_full = grows and depth < self._MAX_DEPTH, False
        self._executor = executor
        self._ready: deque[Future[Result]] = deque()
        self._state = parent.get_state()

    def __next__(self) -> Any:
        self._fill()
        waits = self._grows and self._had_to_wait()
        head = self._ready.popleft()
        self._fill()
        element = None
        try:
            element, self._state = head.result()
            if waits:
                self._grow(element)
            if isinstance(element, FailedElement):
                raise element.error
            return element
        finally:
            # A traceback refers to this frame; these variables would then keep this iterator and its thread alive.
            del head, element

    def _had_to_wait(self) -> bool:
        """Returns whether no element is ready, after all had been."""
        waits = self._was_full and not self._ready[0].done()
        self._was_full = not waits and (self._was_full or self._ready[-1].done())
        return waits

    def _grow(self, element: Any) -> None:
        deeper = min(2 * self._depth, self._MAX_DEPTH)
        light = not isinstance(element, FailedElement) and deeper * weight(element) <= self._MAX_WEIGHT
        self._depth = deeper if light else self._depth
        self._grows = light and deeper < self._MAX_DEPTH

    def wait(self, seconds: float) -> bool:
        """Waits at most this many seconds for the next element; returns whether it is ready."""
        self._fill()
        return bool(wait([self._ready[0]], seconds).done)

    def get_state(self) -> State:
        return self._state

    def set_state(self, state: State) -> None:
        for future in self._ready:
            future.cancel()
        for future in self._ready:
            # A running job cannot be cancelled and advances the parent: wait for its end and ignore its result.
            if not future.cancelled():
                future.exception()
        self._ready.clear()
        self._source.set_state(state)
        self._state = self._source.get_state()

    def close(self) -> None:
        """Stops the thread and the parent iterators."""
        for future in self._ready:
            future.cancel()
        self._executor.stop()
        super().close()

    def _fill(self) -> None:
        while len(self._ready) < self._depth:
            # The job refers to the parent, not to this iterator, which the thread would otherwise keep alive.
            self._ready.append(self._executor.submit(functools.partial(_advance, self._source)))


@final
@dataclasses.dataclass(frozen=True)
class FailedElement:
    """Represents an element whose computation failed: the iteration continues after it."""

    error: Exception


def _advance(walk: StageIterator) -> Result:
    try:
        element = next(walk)
    except Exception as error:  # raised when the element is requested
        return FailedElement(error), walk.get_state()
    return element, walk.get_state()


def _run_jobs(jobs: "queue.SimpleQueue[tuple[Callable[[], Result], Future[Result]] | None]") -> None:
    while (work := jobs.get()) is not None:
        _run(*work)
        del work  # do not keep the last element alive while waiting


def _run(job: Callable[[], Result], future: Future[Result]) -> None:
    try:
        if future.set_running_or_notify_cancel():
            future.set_result(job())
    except BaseException as error:  # any error belongs to the caller that requests the element
        future.set_exception(error)
    finally:
        del job, future
