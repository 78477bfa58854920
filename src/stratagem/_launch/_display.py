"""Display: where a launcher shows what its tasks print, their state, and how they failed."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, final

from stratagem._launch._attempt import TaskStatus
from stratagem._launch._cause import EndedTask


@final
@dataclass(frozen=True)
class FailureReport:
    """A failed attempt: which task failed first, how, and what followed.

    task, how: the root cause, and a clause on it that follows its name. cause: its end; None if it ran on another machine.
    ended: every task that ended, with a remark on it, the root cause first. shown, lines: the task whose log tells most, and
    the lines that do. began: monotonic seconds. folder: where the logs are.
    """

    task: str
    how: str
    cause: EndedTask | None
    ended: Sequence[tuple[EndedTask, str]]
    shown: str
    lines: Sequence[str]
    began: float
    folder: Path


class Display(abc.ABC):
    """Receives everything to display. A context manager, so that a terminal is left as it was."""

    @abc.abstractmethod
    def __enter__(self) -> Self:
        """Starts the display."""

    @abc.abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the display and leaves its last state visible."""

    @abc.abstractmethod
    def printed(self, task: str, lines: Sequence[str]) -> None:
        """Displays lines of a task's output."""

    @abc.abstractmethod
    def state(self, tasks: Sequence[TaskStatus]) -> None:
        """Displays the state of the tasks; called several times a second."""

    @abc.abstractmethod
    def say(self, text: str) -> None:
        """Displays a message of the launcher itself."""

    @abc.abstractmethod
    def failed(self, report: FailureReport) -> None:
        """Displays how an attempt failed."""
