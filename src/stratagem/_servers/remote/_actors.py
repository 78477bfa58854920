"""Actor: an object at a task of the cluster that other tasks call; LocalActor is one in the same process."""

import abc
from typing import Any, final


class Pending(abc.ABC):
    """A call whose result may not be there yet."""

    @abc.abstractmethod
    def result(self) -> Any:
        """Waits for the method's result. Raises what the method raised, or TaskLostError if the task has ended."""


class Actor(abc.ABC):
    """An object at a task. Each engine, a way to reach a task, has one subclass."""

    @abc.abstractmethod
    def call(self, method: str, *args: Any) -> Pending:
        """Starts a call of one of the object's methods."""

    @abc.abstractmethod
    def check(self) -> None:
        """Raises UnavailableError if the engine itself has ended, so that no task can be reached any more."""


class AnswerLimit(abc.ABC):
    """The rule by which one call waits for its answer, or gives it up."""

    @abc.abstractmethod
    def check(self) -> None:
        """Raises TaskLostError, TaskSilentError or UnavailableError if there will be no answer. Called about once a second."""


class WatchedActor(Actor):
    """An object at a task in another process, of which the engine knows whether it answers. task: the task's name."""

    task: str

    @abc.abstractmethod
    def answer_limit(self) -> AnswerLimit:
        """Returns the limit of a call that begins now."""


@final
class CompletedCall(Pending):
    """A call that had its result when it was made."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def result(self) -> Any:
        return self._value


@final
class LocalActor(Actor):
    """An object of this process, called in the caller's thread. The object has to be thread-safe."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def call(self, method: str, *args: Any) -> Pending:
        return CompletedCall(getattr(self._target, method)(*args))

    def check(self) -> None:
        """Does nothing: this process runs."""
