"""Runs a Python function on several elements at once: `num_parallel_calls` of `map`."""

import functools
import os
import time
from collections import deque
from concurrent.futures import Future
from typing import Any, final

from stratagem._data.functions._applied import AppliedFunction, check_tensors
from stratagem._data.functions._thread_tuner import ThreadTuner
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import InlineExecutor, Result, ThreadExecutor
from stratagem._data.stages._stage import StageIterator


def cores() -> int:
    """The number of threads for AUTOTUNE: one for every core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@final
class ParallelIterator(StageIterator):
    """Applies a function to the elements of another iterator in threads, at most one element ahead per thread, in order.

    Where the tuner finds that faster, the caller computes an element when it is requested. An error reaches the caller at the
    element that it belongs to. The state is that of the next element to return.
    """

    def __init__(self, parent: StageIterator, applied: AppliedFunction, tuner: ThreadTuner) -> None:
        super().__init__(parent)
        self._source = parent
        self._applied = applied
        self._tuner = tuner
        self._threads, self._caller = ThreadExecutor(tuner.most), InlineExecutor()
        self._epoch_facts = applied.begin()
        self._ready: deque[tuple[Future[Result], State, int]] = deque()
        self._continue_at(0)

    def _continue_at(self, position: int) -> None:
        """Continues reading at the parent's current element, which has this position."""
        self._position = position
        self._ended = False
        self._alike = (0, 0)  # of how many threads the last elements are, and how many elements in a row
        self._came = 0.0  # when the last one did
        self._state = self._current_state()

    def _current_state(self) -> State:
        return {"draws": self._epoch_facts, "position": self._position, "parent": self._source.get_state()}

    def __next__(self) -> Any:
        self._fill()
        if not self._ready:
            raise StopIteration
        head, self._state, threads = self._ready.popleft()
        if self._tuner.threads > 1:
            self._fill()
        try:
            result = head.result()[0]
            self._note(threads)
            return result
        finally:
            # A traceback refers to this frame; `head` would then keep this iterator and its threads alive.
            del head

    def _note(self, threads: int) -> None:
        """Tells the tuner of an element, unless others ahead of it were computed in the other way."""
        before, self._came = self._came, time.perf_counter()
        self._alike = (threads, self._alike[1] + 1 if threads == self._alike[0] else 1)
        if self._alike[1] > threads + 1:
            self._tuner.took(threads, self._came - before, 1)

    def _fill(self) -> None:
        while len(self._ready) < (threads := self._tuner.threads) and not self._ended:
            future: Future[Result]
            try:
                element = next(self._source)
            except StopIteration:
                self._ended = True
                return
            except Exception as error:  # raised when its turn comes
                future = Future()
                future.set_exception(error)
                state = self._current_state()
            else:
                # The job does not refer to this iterator, which the threads would otherwise keep alive.
                job = functools.partial(_computed, self._applied, element, self._epoch_facts, self._position)
                self._position += 1
                state = self._current_state()
                future = (self._threads if threads > 1 else self._caller).submit(job)
            self._ready.append((future, state, threads))

    def get_state(self) -> State:
        return self._state

    def set_state(self, state: State) -> None:
        self._drop()
        self._source.set_state(state["parent"])
        self._epoch_facts = state["draws"]
        self._applied.restore(self._epoch_facts)
        self._continue_at(state["position"])

    def _drop(self) -> None:
        for future, *_ in self._ready:
            future.cancel()
        self._ready.clear()

    def close(self) -> None:
        """Stops the threads and the parent iterators."""
        self._drop()
        self._threads.stop()
        super().close()


def _computed(applied: AppliedFunction, element: Any, facts: State, position: int) -> Result:
    result = applied(element, facts, position)
    check_tensors(result)
    return result, {}
