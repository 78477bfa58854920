"""The launcher's display while tasks run: a live table on a terminal, else a line every few seconds."""

import sys
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self, final

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from stratagem._launch import Display, FailureReport, StreamDisplay, TaskStatus, log_path, plain
from stratagem.cli._explain import last_named

_LINES_SECONDS = 5.0  # between two lines
_FEW_TASKS = 8  # up to this many tasks are described one by one in such a line
_STEPS = "a step is a call of a distributed function, counted from the start of its process; those of tests count, too"
_LONG_SECONDS = 5.0  # a phase that lasts longer is shown with its seconds
_WIDE = 200  # columns of tables when there is no terminal


@final
class LiveTable(Display):
    """The display on a terminal: a table that stays below everything that is printed."""

    def __init__(self) -> None:
        self._console = Console()
        self._live = Live(console=self._console, auto_refresh=False)  # no thread: tasks are started by a fork

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def printed(self, task: str, lines: Sequence[str]) -> None:
        for line in lines:
            self._console.print(Text(f"[{task}] ", style="cyan") + Text.from_ansi(line), soft_wrap=True)

    def state(self, tasks: Sequence[TaskStatus]) -> None:
        self._live.update(table_of(tasks), refresh=True)

    def say(self, text: str) -> None:
        self._console.print(Text(text, style="bold"))

    def failed(self, report: FailureReport) -> None:
        for what in report_of(report):
            self._console.print(Text(what, style="bold") if isinstance(what, str) else what)


@final
class LineDisplay(StreamDisplay):
    """The display without a terminal: the tasks' output unchanged on stdout, the launcher's own messages on stderr."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, width=None if sys.stderr.isatty() else _WIDE)
        self._began = self._said_at = time.monotonic()
        self._steps_explained = False

    def text_of(self, line: str) -> str:
        return line

    def state(self, tasks: Sequence[TaskStatus]) -> None:
        now = time.monotonic()
        if now - self._said_at >= _LINES_SECONDS:
            self._said_at = now
            self.say(f"{now - self._began:.0f} s: {summary(tasks)}")
            if not self._steps_explained and any(task.position is not None for task in tasks):
                self._steps_explained = True
                self.say(_STEPS)

    def say(self, text: str) -> None:
        self._console.print(Text(f"stratagem launch: {text}"), soft_wrap=True)

    def failed(self, report: FailureReport) -> None:
        for what in report_of(report):
            self._console.print(Text(f"stratagem launch: {what}") if isinstance(what, str) else what, soft_wrap=True)


def show() -> Display:
    """The display that suits this stdout."""
    return LiveTable() if Console().is_terminal and not Console().is_dumb_terminal else LineDisplay()


def table_of(tasks: Sequence[TaskStatus]) -> Table:
    """A table with one row per task."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for name in ("rank", "task", "pid"):
        table.add_column(name, no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("step", no_wrap=True, justify="right")
    table.add_column("phase", no_wrap=True)
    table.add_column("steps/s", no_wrap=True, justify="right")
    table.add_column("last line", no_wrap=True, ratio=1, overflow="ellipsis")
    for task in tasks:
        rank = "-" if task.start.rank is None else str(task.start.rank)
        row = (rank, task.name, str(task.pid or "-"), state_of(task), _step(task), _phase(task), _rate(task))
        style = "red" if task.ended is not None and task.ended.failed else "dim" if task.ended is not None else ""
        table.add_row(*row, Text(plain(task.log.last)), style=style)
    return table


def report_of(report: FailureReport) -> Iterator[str | Table]:
    """Yields what is printed of a failure: the task that failed first, a table of all, the end of the log that tells most."""
    table = Table("", "task", "pid", "ended after", "how", "why", box=None, pad_edge=False, header_style="bold")
    for task, why in report.ended:
        mark = "*" if task is report.cause else ""
        table.add_row(mark, task.task, str(task.pid), f"{task.at - report.began:.1f} s", task.outcome, why)
    yield f"{report.task} failed first{report.how}"
    yield table
    if report.lines:
        lines = "\n".join(f"  {plain(line)}" for line in report.lines)
        yield f"the last lines of {log_path(report.folder, report.shown)}:\n{lines}"
    explained = last_named(report.lines)
    if explained is not None:
        yield f"`stratagem explain {explained}` tells what that means, and what usually cures it"
    yield f"logs are in {report.folder}"


def summary(tasks: Sequence[TaskStatus]) -> str:
    """The state of all tasks in one line."""
    if len(tasks) <= _FEW_TASKS:
        return "; ".join(" ".join(filter(None, _words(task))) for task in tasks)
    states: dict[str, int] = {}
    for task in tasks:
        states[state_of(task)] = states.get(state_of(task), 0) + 1
    found = [", ".join(f"{count} {state}" for state, count in states.items())]
    at = [task for task in tasks if task.position is not None]
    if at:
        slowest = min(at, key=lambda task: task.position.step if task.position else 0)
        found.append(f"slowest is {' '.join(filter(None, _words(slowest)))}")
    return "; ".join(found)


def state_of(task: TaskStatus) -> str:
    """The state of a task in a few words."""
    if task.ended is None:
        return "running" if task.pid else "starting"
    if task.restart_at is not None:
        return f"{task.ended.outcome}, comes again"
    if task.ended.code == 0:
        return "done"
    return f"ended ({task.ended.outcome})" if task.ended.asked else task.ended.outcome


def _words(task: TaskStatus) -> tuple[str, ...]:
    step, rate = _step(task), _rate(task)
    return (
        task.name,
        state_of(task),
        f"step {step}" if step else "",
        f"({_phase(task)})" if _phase(task) else "",
        f"{rate} steps/s" if rate else "",
    )


def _step(task: TaskStatus) -> str:
    return "" if task.position is None else str(task.position.step)


def _phase(task: TaskStatus) -> str:
    if task.position is None or task.ended is not None:
        return ""
    seconds = time.monotonic() - task.position.since
    return f"{task.position.phase} {seconds:.0f} s" if seconds >= _LONG_SECONDS else str(task.position.phase)


def _rate(task: TaskStatus) -> str:
    return "" if task.rate is None or task.ended is not None else f"{task.rate:.3g}"
