"""ClosureQueue: scheduled functions on their way to a worker, and TF's protocol for the one that fails."""

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
    """A scheduled call. number: its place in the order of all calls, given by the queue. sees: changes made before it."""

    name: str
    function: Callable[..., Any]
    args: Any
    kwargs: Any
    sees: int = 0
    output: RemoteValue = field(init=False)
    number: int = field(default=-1, init=False)

    def __post_init__(self) -> None:
        self.output = RemoteValue(self.name)

    def alike(self, other: "Closure") -> bool:
        """True if the other one is the same call."""
        mine, its = (*self.args, *self.kwargs.values()), (*other.args, *other.kwargs.values())
        same = self.function is other.function and self.kwargs.keys() == other.kwargs.keys() and len(mine) == len(its)
        return same and all(a is b for a, b in zip(mine, its, strict=True))


@final
class ClosureQueue:
    """Thread-safe. After an error nothing new starts until the error was raised to the user, once.

    What waits is in the order of its numbers, so that the first is the smallest. workers: how many take from it.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.RLock()
        # There is something to take; what runs has ended, or there is room. Two, so that nobody wakes up for nothing.
        self._some, self._less = threading.Condition(self._lock), threading.Condition(self._lock)
        self._waiting: deque[Closure] = deque()
        self._running: set[Closure] = set()
        self._error: BaseException | None = None
        self._numbers = itertools.count()

    def put(self, closure: Closure) -> None:
        """Add a closure; blocks while the queue is full. Raises the pending error, if there is one.

        Raises ContextError on a worker, which would wait for others that wait for it.
        """
        _check_not_on_a_worker()
        with self._lock:
            self._less.wait_for(lambda: len(self._waiting) < LIMIT or self._error is not None)
            self._raise_pending()
            closure.number = next(self._numbers)
            self._waiting.append(closure)
            self._some.notify()

    def take(self, timeout: float, most: int = 1) -> list[Closure]:
        """The next closures to run: one, or, if they are alike, up to `most`, and half of a worker's share of what waits.

        Nothing after so many seconds without one.
        """
        with self._lock:
            if not self._some.wait_for(lambda: self._waiting and self._error is None, timeout):
                return []
            if len(self._waiting) >= LIMIT:
                self._less.notify_all()
            taken = [self._waiting.popleft()]
            most = min(most, len(self._waiting) // (2 * self._workers))
            while len(taken) < most and self._waiting[0].alike(taken[0]):
                taken.append(self._waiting.popleft())
            self._running.update(taken)
            return taken

    def put_back(self, closure: Closure) -> None:
        """The worker is gone: another one is to run the closure, before all that were put later."""
        with self._lock:
            if self._error is not None:
                closure.output._cancel(_cause(self._error))
            else:
                older = itertools.takewhile(lambda other: other.number < closure.number, self._waiting)
                self._waiting.insert(sum(1 for _ in older), closure)
                self._some.notify()
            self._left(closure)

    def finished(self, closure: Closure, value: Any) -> None:
        """The closure ended well."""
        closure.output._set(value)
        self._left(closure)

    def failed(self, closure: Closure, error: BaseException) -> None:
        """The closure raised: everything that waits is cancelled."""
        closure.output._fail(error)
        with self._lock:
            if self._error is None:
                self._error = error
                self._cancel_waiting(_cause(error))
            self._left(closure)

    def abandon(self, error: BaseException) -> None:
        """The job is over: what runs will not end."""
        with self._lock:
            running, self._running = self._running, set()
            self._error = self._error or error
            self._cancel_waiting(_cause(error))
            self._less.notify_all()
        for closure in running:
            closure.output._fail(error)

    def wait(self) -> None:
        """Until nothing waits or runs. Raises the pending error once, when what ran beside it has stopped.

        Raises ContextError on a worker, which would wait for itself.
        """
        _check_not_on_a_worker()
        with self._lock:
            self._less.wait_for(lambda: not self._running and not self._waiting)
            self._raise_pending()

    def done(self) -> bool:
        """True if nothing waits or runs. Raises the pending error once."""
        with self._lock:
            self._raise_pending()
            return not self._running and not self._waiting

    def lowest(self) -> int:
        """All closures with smaller numbers are over."""
        with self._lock:
            numbers = [c.number for c in self._running] + [c.number for c in itertools.islice(self._waiting, 1)]
            return min(numbers, default=0)

    def idle(self) -> bool:
        """True if there is nothing to take."""
        with self._lock:
            return not self._waiting or self._error is not None

    def _left(self, closure: Closure) -> None:
        with self._lock:
            self._running.discard(closure)
            if not self._running:
                self._less.notify_all()

    def _cancel_waiting(self, cause: str) -> None:
        while self._waiting:
            self._waiting.popleft().output._cancel(cause)

    def _raise_pending(self) -> None:
        """What ran beside the closure that failed has to stop first: then the queue can be used again."""
        if self._error is None:
            return
        self._less.wait_for(lambda: not self._running)
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
