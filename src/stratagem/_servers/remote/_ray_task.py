"""What every task of a job of several processes can do. Each is one Ray actor."""

import abc
import os
import threading
from collections.abc import Callable

from stratagem._servers.remote._failure import RemoteFailure
from stratagem._servers.remote._serialization import Message, packed, unpacked


class RayTask(abc.ABC):
    """What every task's actor can do."""

    def __init__(self, prepare: Callable[[], None]) -> None:
        """prepare: attaches the hooks into JAX and Keras that the process has which starts this one."""
        prepare()
        self._end = threading.Event()

    @abc.abstractmethod
    def begin_anew(self) -> None:
        """A coordinator comes."""

    def here(self) -> int:
        """The id of its process: it answers."""
        return os.getpid()

    def answer(self, message: Message) -> Message:
        """A call of one of these methods, as it travels: the result, or a Failure. (Ray takes some errors for its own.)"""
        try:
            method, arguments = unpacked(message)
            return packed(getattr(self, method)(*arguments))
        except BaseException as error:  # whatever a user's function raises, sys.exit() too, belongs to the user
            return packed(RemoteFailure.of(error))

    def finish(self) -> None:
        """The job is over."""
        self._end.set()

    def finished(self, seconds: float) -> bool:
        """True if the job is over; waits so long for it."""
        return self._end.wait(seconds)
