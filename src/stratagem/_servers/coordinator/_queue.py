"""ClosureQueue: the scheduled functions that wait for a worker, with TF's error protocol."""

import itertools
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from stratagem._base.errors import ContextError
from stratagem._core.context import current
from stratagem._servers.coordinator._values import RemoteValue

# TF's limit: beyond this many waiting closures `schedule` blocks.
LIMIT = 256 * 1024


@dataclass(eq=False)
class Closure:
    """A scheduled call.

    number: its place in the order of all calls, set by the queue. changes_before: how many changes of variables the
    coordinator had counted when the call was scheduled.
    """

    name: str
    function: Callable[..., Any]
    args: Any
    kwargs: Any
    changes_before: int = 0
    output: RemoteValue = field(init=False)
    number: int = field(default=-1, init=False)

    def __post_init__(self) -> None:
        self.output = RemoteValue(self.name)

    def same_call(self, other: "Closure") -> bool:
        """Returns whether the other closure is the same function with the same arguments, compared by identity."""
        mine, its = (*self.args, *self.kwargs.values()), (*other.args, *other.kwargs.values())
        same = self.function is other.function and self.kwargs.keys() == other.kwargs.keys() and len(mine) == len(its)
        return same and all(a is b for a, b in zip(mine, its, strict=True))


@final
class ClosureQueue:
    """The queue of scheduled closures. Thread-safe. After an error nothing new starts until the user got the error, once.

    Waiting closures are in the order of their numbers, the smallest first. workers: the number of workers that take
    from it.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.RLock()
        # _available: a closure can be taken. _drained: all running closures have ended, or the queue has room again.
        self._available, self._drained = threading.Condition(self._lock), threading.Condition(self._lock)
        self._waiting: deque[Closure] = deque()
        self._running: set[Closure] = set()
        self._error: BaseException | None = None
        self._numbers = itertools.count()

    def put(self, closure: Closure) -> None:
        """Adds a closure; blocks while the queue is full. Raises the pending error, if there is one.

        Raises ContextError on a worker: its function would wait for others that wait for it.
        """
        _check_not_on_a_worker()
        with self._lock:
            self._drained.wait_for(lambda: len(self._waiting) < LIMIT or self._error is not None)
            self._raise_pending()
            closure.number = next(self._numbers)
            self._waiting.append(closure)
            self._available.notify()

    def take(self, timeout: float, most: int = 1) -> list[Closure]:
        """Removes and returns the next closures to run: one, or up to `most` that are the same call.

        A worker takes at most half of its share of the waiting closures. Returns nothing if none came within `timeout`
        seconds.
        """
        with self._lock:
            if not self._available.wait_for(lambda: self._waiting and self._error is None, timeout):
                return []
            if len(self._waiting) >= LIMIT:
                self._drained.notify_all()
            taken = [self._waiting.popleft()]
            most = min(most, len(self._waiting) // (2 * self._workers))
            while len(taken) < most and self._waiting[0].same_call(taken[0]):
                taken.append(self._waiting.popleft())
            self._running.update(taken)
            return taken

    def requeue(self, closure: Closure) -> None:
        """Returns the closure of a lost worker to the queue, before all closures with larger numbers."""
        with self._lock:
            if self._error is not None:
                closure.output._cancel(_cause(self._error))
            else:
                older = itertools.takewhile(lambda other: other.number < closure.number, self._waiting)
                self._waiting.insert(sum(1 for _ in older), closure)
                self._available.notify()
            self._remove_running(closure)

    def finished(self, closure: Closure, value: Any) -> None:
        """Sets the result of a closure that has ended without an error."""
        closure.output._set(value)
        self._remove_running(closure)

    def failed(self, closure: Closure, error: BaseException) -> None:
        """Sets the error of a closure, and cancels all that wait."""
        closure.output._fail(error)
        with self._lock:
            if self._error is None:
                self._error = error
                self._cancel_waiting(_cause(error))
            self._remove_running(closure)

    def abandon(self, error: BaseException) -> None:
        """Fails all closures, running and waiting: the job is over."""
        with self._lock:
            running, self._running = self._running, set()
            self._error = self._error or error
            self._cancel_waiting(_cause(error))
            self._drained.notify_all()
        for closure in running:
            closure.output._fail(error)

    def wait(self) -> None:
        """Waits until the queue is empty and nothing runs. Raises the pending error once, when no closure runs any more.

        Raises ContextError on a worker: its function would wait for itself.
        """
        _check_not_on_a_worker()
        with self._lock:
            self._drained.wait_for(lambda: not self._running and not self._waiting)
            self._raise_pending()

    def done(self) -> bool:
        """Returns whether nothing waits or runs. Raises the pending error once."""
        with self._lock:
            self._raise_pending()
            return not self._running and not self._waiting

    def lowest_unfinished(self) -> int:
        """Returns a number below which all closures have ended."""
        with self._lock:
            numbers = [c.number for c in self._running] + [c.number for c in itertools.islice(self._waiting, 1)]
            return min(numbers, default=0)

    def idle(self) -> bool:
        """Returns whether there is nothing to take."""
        with self._lock:
            return not self._waiting or self._error is not None

    def _remove_running(self, closure: Closure) -> None:
        with self._lock:
            self._running.discard(closure)
            if not self._running:
                self._drained.notify_all()

    def _cancel_waiting(self, cause: str) -> None:
        while self._waiting:
            self._waiting.popleft().output._cancel(cause)

    def _raise_pending(self) -> None:
        """Raises the pending error once, when all running closures have ended, so that the queue can be used again."""
        if self._error is None:
            return
        self._drained.wait_for(lambda: not self._running)
        error, self._error = self._error, None
        if error is not None:
            raise error


def _check_not_on_a_worker() -> None:
    if current().worker is not None:
        raise ContextError(
            "A scheduled function called `schedule` or `join` itself. Schedule from the program that made the coordinator, or "
            "call the function directly."
        )


def _cause(error: BaseException) -> str:
    return f"another function raised {type(error).__name__}: {error}"
