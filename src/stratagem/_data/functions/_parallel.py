"""A function that runs as Python, on several elements at once: `num_parallel_calls` of `map`."""

import functools
import os
from collections import deque
from concurrent.futures import Future
from typing import final

from stratagem._data.elements._nest import Nest
from stratagem._data.functions._applied import AppliedFunction, check_tensors
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import InThread, Made
from stratagem._data.stages._stage import StageIterator


def cores() -> int:
    """How many threads AUTOTUNE stands for: one for every core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@final
class ParallelIterator(StageIterator):
    """Applies a function to the elements of another walk in threads, at most so many ahead, and keeps their order.

    An error reaches the caller at the element that it belongs to. The state is that of the next element handed out.
    """

    def __init__(self, parent: StageIterator, applied: AppliedFunction, threads: int) -> None:
        super().__init__(parent)
        self._source = parent
        self._applied = applied
        self._threads = InThread(threads)
        self._depth = threads
        self._facts = applied.begin()
        self._ready: deque[tuple[Future[Made], State]] = deque()
        self._go_on(0)

    def _go_on(self, position: int) -> None:
        """Read on at the parent's present element, which has this position."""
        self._position = position
        self._ended = False
        self._state = self._here()

    def _here(self) -> State:
        return {"draws": self._facts, "position": self._position, "parent": self._source.get_state()}

    def __next__(self) -> Nest:
        self._fill()
        if not self._ready:
            raise StopIteration
        head, self._state = self._ready.popleft()
        self._fill()
        try:
            return head.result()[0]
        finally:
            # An error holds this frame, and through `head` itself: this walk and its threads would outlive their use.
            del head

    def _fill(self) -> None:
        while len(self._ready) < self._depth and not self._ended:
            future: Future[Made]
            try:
                element = next(self._source)
            except StopIteration:
                self._ended = True
                return
            except Exception as error:  # it comes to the caller in its turn
                future = Future()
                future.set_exception(error)
                state = self._here()
            else:
                # The job knows nothing of this walk, so that the threads do not keep an abandoned one alive.
                job = functools.partial(_made, self._applied, element, self._facts, self._position)
                self._position += 1
                state = self._here()
                future = self._threads.submit(job)
            self._ready.append((future, state))

    def get_state(self) -> State:
        return self._state

    def set_state(self, state: State) -> None:
        self._drop()
        self._source.set_state(state["parent"])
        self._facts = state["draws"]
        self._applied.restore(self._facts)
        self._go_on(state["position"])

    def _drop(self) -> None:
        for future, _ in self._ready:
            future.cancel()
        self._ready.clear()

    def close(self) -> None:
        """End the threads and the walks before."""
        self._drop()
        self._threads.stop()
        super().close()


def _made(applied: AppliedFunction, element: Nest, facts: State, position: int) -> Made:
    result = applied(element, facts, position)
    check_tensors(result)
    return result, {}
