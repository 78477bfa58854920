"""Actors: objects that live at a task of the cluster and are called from other tasks. Here those of this process."""

import abc
from typing import Any, final

from stratagem._base.errors import UnavailableError


class TaskLostError(UnavailableError):
    """A task of the job does not run any more. task: its name, `ps:1` say."""

    _says = "is gone"

    def __init__(self, task: str, why: str) -> None:
        super().__init__(f"{task} {self._says}: {why}")
        self.task, self.why = task, why

    def __reduce__(self) -> Any:
        return type(self), (self.task, self.why)


@final
class TaskSilentError(TaskLostError):
    """It has not answered for a while, and may be frozen."""

    _says = "is silent"


class Pending(abc.ABC):
    """A call that is under way."""

    @abc.abstractmethod
    def result(self) -> Any:
        """What the method returned; waits for it. Raises what it raised, or TaskLostError if the task is gone."""


class Actor(abc.ABC):
    """An object at a task. One class for each way to reach a task: an engine."""

    @abc.abstractmethod
    def call(self, method: str, *args: Any) -> Pending:
        """Begin a call of one of the object's methods."""

    @abc.abstractmethod
    def check(self) -> None:
        """Raise UnavailableError if what carries the calls has ended: no task can be reached any more."""


@final
class CompletedCall(Pending):
    """A call that was over when it began."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def result(self) -> Any:
        return self._value


@final
class LocalActor(Actor):
    """An object of this process, which the caller's thread runs itself. The object takes care of several threads."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def call(self, method: str, *args: Any) -> Pending:
        return CompletedCall(getattr(self._target, method)(*args))

    def check(self) -> None:
        """This process is there."""
