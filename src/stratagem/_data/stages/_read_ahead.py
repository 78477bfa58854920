"""Elements made ahead of their use: by a thread where making them may take long, at once where it is cheap."""

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
from typing import final

from stratagem._core.context import assign, current
from stratagem._data.elements._nest import Nest
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator

Made = tuple[Nest, State]  # an element, or the `Failed` of its making, and where the walk is after it


class Maker(abc.ABC):
    """Who makes the elements ahead."""

    @abc.abstractmethod
    def submit(self, job: Callable[[], Made]) -> Future[Made]:
        """Start a job; jobs run one after another."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Take no more jobs."""


@final
class AtOnce(Maker):
    """The caller itself: for elements that are cheap to make and then travel to a device by themselves."""

    def submit(self, job: Callable[[], Made]) -> Future[Made]:
        future: Future[Made] = Future()
        _run(job, future)
        return future

    def stop(self) -> None:
        pass


@final
class InThread(Maker):
    """One thread, started with the first job, in the context of whoever made this object but never under its trace.

    A daemon: a source that blocks for ever must not keep the program from ending. With more threads than one, jobs
    start one after another and run side by side.
    """

    _JOIN_SECONDS = 0.5

    def __init__(self, threads: int = 1) -> None:
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Made], Future[Made]] | None] = queue.SimpleQueue()
        self._context = contextvars.copy_context()
        self._context.run(assign, dataclasses.replace(current(), recorder=None))
        self._count = threads
        self._threads: list[threading.Thread] = []
        _in_threads.add(self)

    def submit(self, job: Callable[[], Made]) -> Future[Made]:
        if not self._threads:
            for _ in range(self._count):
                run = self._context.copy().run  # a context can be entered once at a time
                thread = threading.Thread(
                    target=run, args=(_serve, self._jobs), name="stratagem-read-ahead", daemon=True
                )
                thread.start()
                self._threads.append(thread)
        future: Future[Made] = Future()
        self._jobs.put((job, future))
        return future

    def cancel(self) -> None:
        """Forget the jobs that have not begun."""
        with contextlib.suppress(queue.Empty):
            while (waiting := self._jobs.get_nowait()) is not None:
                waiting[1].cancel()

    def stop(self) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        # The last reference may die in the thread itself, and a job may be stuck in user code: wait, but not for ever.
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(self._JOIN_SECONDS)


_in_threads: weakref.WeakSet[InThread] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Before Python ends: it ends daemons where they are, and inside of JAX that aborts the process (std::terminate)."""
    makers = list(_in_threads)
    for maker in makers:
        maker.cancel()
    for maker in makers:
        maker.stop()


@final
class ReadAheadIterator(StageIterator):
    """Keeps the next `depth` elements of another walk ready.

    An error reaches the caller at the element that it belongs to. The state is that of the next element handed out.
    """

    def __init__(self, parent: StageIterator, depth: int, maker: Maker) -> None:
        super().__init__(parent)
        self._source = parent
        self._depth = depth
        self._maker = maker
        self._ready: deque[Future[Made]] = deque()
        self._state = parent.get_state()

    def __next__(self) -> Nest:
        self._fill()
        head = self._ready.popleft()
        self._fill()
        element = None
        try:
            element, self._state = head.result()
            if isinstance(element, Failed):
                raise element.error
            return element
        finally:
            # An error holds this frame, and through these itself: this walk and its thread would outlive their use.
            del head, element

    def wait(self, seconds: float) -> bool:
        """Wait for the next element, at most so long; True when it is there."""
        self._fill()
        return bool(wait([self._ready[0]], seconds).done)

    def get_state(self) -> State:
        return self._state

    def set_state(self, state: State) -> None:
        for future in self._ready:
            future.cancel()
        for future in self._ready:
            # A running job cannot be cancelled and moves the parent: its end is awaited; its outcome is of no use.
            if not future.cancelled():
                future.exception()
        self._ready.clear()
        self._source.set_state(state)
        self._state = self._source.get_state()

    def close(self) -> None:
        """End the thread and the walks before."""
        for future in self._ready:
            future.cancel()
        self._maker.stop()
        super().close()

    def _fill(self) -> None:
        while len(self._ready) < self._depth:
            # The job knows the parent and not this walk, so that the thread does not keep an abandoned walk alive.
            self._ready.append(self._maker.submit(functools.partial(_advance, self._source)))


@final
@dataclasses.dataclass(frozen=True)
class Failed:
    """Stands for an element that could not be made: the walk goes on after it."""

    error: Exception


def _advance(walk: StageIterator) -> Made:
    try:
        element = next(walk)
    except Exception as error:  # it is raised where the element is asked for
        return Failed(error), walk.get_state()
    return element, walk.get_state()


def _serve(jobs: "queue.SimpleQueue[tuple[Callable[[], Made], Future[Made]] | None]") -> None:
    while (work := jobs.get()) is not None:
        _run(*work)
        del work  # while waiting, nothing of the last element is kept alive


def _run(job: Callable[[], Made], future: Future[Made]) -> None:
    try:
        if future.set_running_or_notify_cancel():
            future.set_result(job())
    except BaseException as error:  # whatever it is, it belongs to who asks for the element
        future.set_exception(error)
    finally:
        del job, future
