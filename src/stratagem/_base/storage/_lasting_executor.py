"""LastingExecutor: lets fsspec's event loop look up names of hosts, and whatever else it has threads for, to a program's end.

Python shuts thread pools down before it waits for threads, and long before functions of `atexit`. Without this, a checkpoint
that is being saved in the background when the program ends, and an event file that is closed then, would not be uploaded.
"""

import asyncio
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar, final

P = ParamSpec("P")
T = TypeVar("T")

_equipped: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()


@final
class LastingExecutor(ThreadPoolExecutor):
    """A thread pool that calls functions itself once it has no threads any more."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Calls a function in another thread, or at once when Python ends."""
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:  # it is shut down, or the interpreter starts no more threads
            done: Future[T] = Future()
            try:
                done.set_result(fn(*args, **kwargs))
            except Exception as error:
                done.set_exception(error)
            return done


def equip(loop: asyncio.AbstractEventLoop) -> None:
    """Gives an event loop this executor, once."""
    if loop not in _equipped:
        _equipped.add(loop)
        loop.set_default_executor(LastingExecutor(thread_name_prefix="fsspec"))
