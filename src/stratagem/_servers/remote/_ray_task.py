"""RayTask: the methods that the Ray actors of all tasks have."""

import abc
import os
import threading
from collections.abc import Callable

from stratagem._base.remote_failure import RemoteFailure
from stratagem._servers.remote._pickling import Message, packed, unpacked
from stratagem._servers.remote._task_process import TaskProcess


class RayTask(abc.ABC):
    """A task of a job of several processes: the object in a Ray actor."""

    def __init__(self, prepare: Callable[[], None], process: TaskProcess) -> None:
        """prepare: attaches the hooks into JAX and Keras that the process which starts this one has. process: the task's."""
        process.take_over()
        prepare()
        self._end = threading.Event()

    @abc.abstractmethod
    def reset(self) -> None:
        """Drops everything that an older coordinator has left, for a new one."""

    def ping(self) -> int:
        """Returns the id of its process, to show that the task answers."""
        return os.getpid()

    def answer(self, message: Message) -> Message:
        """Calls a method; both the call and the result are serialized. An error becomes a RemoteFailure.

        (Ray would take some errors for its own.)
        """
        try:
            method, arguments = unpacked(message)
            return packed(getattr(self, method)(*arguments))
        except BaseException as error:  # a user's function may raise anything, also SystemExit; the user gets it
            return packed(RemoteFailure.of(error))

    def finish(self) -> None:
        """Marks the job as over."""
        self._end.set()

    def finished(self, seconds: float) -> bool:
        """Waits until the job is over, at most `seconds`; returns whether it is."""
        return self._end.wait(seconds)
