"""CellDisplay: what a cell of a notebook, or a program, shows of the tasks that it has started."""

import sys
from collections.abc import Sequence
from typing import final

from stratagem._launch._attempt import TaskStatus
from stratagem._launch._display import FailureReport
from stratagem._launch._stream_display import StreamDisplay
from stratagem._launch._task_log_reader import plain


@final
class CellDisplay(StreamDisplay):
    """The tasks' lines without the codes of colours, on stdout; messages of the launcher on stderr. Nothing is repeated."""

    def text_of(self, line: str) -> str:
        return plain(line)

    def state(self, tasks: Sequence[TaskStatus]) -> None:
        pass  # the tasks' own output says how far they are

    def say(self, text: str) -> None:
        sys.stderr.write(f"launch: {text}\n")
        sys.stderr.flush()

    def failed(self, report: FailureReport) -> None:
        self.say(f"{report.task} failed first{report.how}")
