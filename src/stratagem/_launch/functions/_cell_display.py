"""CellDisplay: what a cell of a notebook, or a program, shows of the tasks that it has started."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self, final

from stratagem._launch._attempt import TaskStatus
from stratagem._launch._display import Display, FailureReport
from stratagem._launch._task_log_reader import plain


@final
class CellDisplay(Display):
    """Every line that a task prints, on stdout, with the task's name; messages of the launcher on stderr.

    Nothing is overwritten and nothing is repeated, so that a saved notebook reads like a log.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def printed(self, task: str, lines: Sequence[str]) -> None:
        for line in lines:
            sys.stdout.write(f"[{task}] {plain(line)}\n")
        if lines:
            sys.stdout.flush()

    def state(self, tasks: Sequence[TaskStatus]) -> None:
        pass  # the tasks' own output says how far they are

    def say(self, text: str) -> None:
        sys.stderr.write(f"launch: {text}\n")
        sys.stderr.flush()

    def failed(self, report: FailureReport) -> None:
        self.say(f"{report.task} failed first{report.how}")
