"""Interruption by Ctrl-C of programs with loops of unknown length: Python gets it, while XLA goes on, which nothing stops."""

import contextvars
import functools
import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, final

import jax
from jax.extend import core as xc

from stratagem._private import current_recording, runs_at_once, sub_jaxprs

logger = logging.getLogger("stratagem")

_GRACE_SECONDS = 2.0  # in which an interrupted program may still end, so that nothing is lost


class InterruptedCall(KeyboardInterrupt):
    """Ctrl-C came while a program ran, which has ended nevertheless. `result`: what it returned."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


def interruptible(
    run: Callable[..., Any], jaxpr: xc.Jaxpr | xc.ClosedJaxpr, *, with_result: bool = False
) -> Callable[..., Any]:
    """Returns a compiled program: as it is, or, if its loops may never end, so that Ctrl-C ends the wait for it.

    Such a program runs in another thread, and its call returns when its results are there. After Ctrl-C it has two seconds to
    end. The call then raises KeyboardInterrupt, and a program that has not ended computes on until the process ends.
    with_result: if it has ended, the call raises InterruptedCall.
    """
    return functools.partial(_in_another_thread, run, with_result) if may_never_end(jaxpr) else run


def may_never_end(jaxpr: xc.Jaxpr | xc.ClosedJaxpr) -> bool:
    """Returns whether a program has a loop whose number of rounds is not known before it runs."""
    return any(e.primitive.name == "while" or any(map(may_never_end, sub_jaxprs(e.params))) for e in jaxpr.eqns)


def _in_another_thread(run: Callable[..., Any], with_result: bool, *args: Any) -> Any:
    # Python handles signals in its main thread only, and a trace belongs to its thread.
    traced = current_recording() is not None or not runs_at_once()
    if traced or threading.current_thread() is not threading.main_thread():
        return run(*args)
    call = _threads.begin(run, args)
    try:
        call.wait()
    except KeyboardInterrupt:
        if not call.wait(_GRACE_SECONDS):
            logger.warning(
                "Ctrl-C: a compiled program with a loop of unknown length has not ended in %g s. It computes on in the "
                "background until the process ends.", _GRACE_SECONDS
            )  # fmt: skip
            raise
        if with_result:
            raise InterruptedCall(call.result()) from None
        raise
    return call.result()


@final
class _BackgroundCall:
    """A call in another thread."""

    _SHORTEST_SLEEP, _LONGEST_SLEEP = 2e-5, 0.05

    def __init__(self, run: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self._run = functools.partial(contextvars.copy_context().run, run, *args)
        self._returned = threading.Event()
        self._results: list[Any] = []
        self._error: BaseException | None = None

    def make(self) -> None:
        """Makes the call, in the present thread."""
        try:
            self._results.append(self._run())
        except BaseException as error:  # raised in the thread that waits
            self._error = error

    def end(self) -> None:
        """Tells who waits that the call was made."""
        self._returned.set()

    def wait(self, seconds: float = math.inf) -> bool:
        """Waits until the results are there. Returns False if they are not after so many seconds.

        By looking at them again and again: a thread in JAX's own wait aborts the process if that ends meanwhile.
        """
        start = time.monotonic()
        if not self._returned.wait(None if seconds == math.inf else seconds):
            return False
        arrays: list[Any] = [x for x in jax.tree.leaves(self._results) if isinstance(x, jax.Array)]
        while not all(x.is_ready() for x in arrays):
            waited = time.monotonic() - start
            if waited >= seconds:
                return False
            time.sleep(min(max(waited / 20, self._SHORTEST_SLEEP), self._LONGEST_SLEEP))
        return True

    def result(self) -> Any:
        """Returns the result, or raises the error, of a call that has ended."""
        if self._error is not None:
            raise self._error
        return self._results[0]


@final
class _CallingThread(threading.Thread):
    """Makes calls until there has been none for a while; does not keep the process from ending."""

    _IDLE_SECONDS = 0.05

    def __init__(self, pool: "_CallingThreads") -> None:
        super().__init__(name="compiled loop", daemon=True)
        self.calls: queue.SimpleQueue[_BackgroundCall] = queue.SimpleQueue()
        self._pool = pool

    def run(self) -> None:
        while True:
            try:
                call = self.calls.get(timeout=self._IDLE_SECONDS)
            except queue.Empty:
                if self._pool.dismissed(self):
                    return
                continue
            call.make()
            self._pool.idle(self)
            call.end()
            del call  # and with it what it has returned


@final
class _CallingThreads:
    """The thread that is free to make the next call, if there is one: a new one costs 40 microseconds a call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: _CallingThread | None = None

    def begin(self, run: Callable[..., Any], args: tuple[Any, ...]) -> _BackgroundCall:
        """Begins a call in a thread that makes no other."""
        call = _BackgroundCall(run, args)
        with self._lock:
            thread, self._free = self._free, None
            if thread is None or not thread.is_alive():  # in a forked process it is not
                thread = _CallingThread(self)
                thread.start()
            thread.calls.put(call)
        return call

    def idle(self, thread: _CallingThread) -> None:
        """Takes note that a thread is free for the next call."""
        with self._lock:
            self._free = thread

    def dismissed(self, thread: _CallingThread) -> bool:
        """Returns whether a thread may end: it will get no more calls."""
        with self._lock:
            if not thread.calls.empty():
                return False
            if self._free is thread:
                self._free = None
            return True


_threads = _CallingThreads()
