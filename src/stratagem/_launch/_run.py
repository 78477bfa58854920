"""A job from its first start to its end: attempts, restarts after failures, and reports about them."""

import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self, final

from stratagem._base.errors import ClusterError
from stratagem._launch._attempt import Attempt, TaskStatus, log_path
from stratagem._launch._cause import EndedTask, exit_code, root_cause, signal_name
from stratagem._launch._display import Display, FailureReport
from stratagem._launch._plan import TaskStart
from stratagem._launch._task_log_reader import error_lines

_LOOK_SECONDS = 0.25  # between two looks at logs and positions
_LONGEST_WAIT = 60.0  # seconds before a restart


@final
@dataclass(frozen=True)
class LaunchSpec:
    """A job to run.

    tasks: makes this machine's tasks anew for every attempt (ports change). logs: None keeps them only after failures. grace:
    seconds from SIGTERM to SIGKILL. wait: seconds before the first restart; it doubles. alone: there is one machine.
    worker_restarts: how often each lost worker is restarted by itself.
    """

    program: Sequence[str]
    tasks: Callable[[], list[TaskStart]]
    teed: Sequence[str]
    restarts: int
    wait: float
    grace: float
    logs: Path | None
    alone: bool
    worker_restarts: int


@final
@dataclass(frozen=True)
class JobEnd:
    """The end of a job: the launcher's exit code, and the signal that ended it, if one did.

    report: on the last attempt, if that failed and a task was the cause. tasks: those of the last attempt. logs: its folder,
    which is gone if the job ended well and no folder was named.
    """

    code: int
    signal: int | None
    report: FailureReport | None
    tasks: Sequence[TaskStatus]
    logs: Path


def run(job: LaunchSpec, screen: Display, numbers: Sequence[int]) -> JobEnd:
    """Runs the job to its end. numbers: the signals that end it; others than none can be received in the main thread only.

    Raises:
        ClusterError: the folder for the logs cannot be made, or ports are in use.
    """
    folder = Path(tempfile.mkdtemp(prefix="stratagem-logs-")) if job.logs is None else job.logs
    well = False
    try:
        with _SignalReceiver(numbers) as signals, screen:
            end = _attempts(job, folder, screen, signals)
            well = end.code == 0
    finally:
        if job.logs is None and well:
            shutil.rmtree(folder)
    return end


def _attempts(job: LaunchSpec, logs: Path, screen: Display, signals: "_SignalReceiver") -> JobEnd:
    restarts = 0
    while True:
        tasks = [replace(t, environment={**t.environment, "STRATAGEM_RESTARTS": str(restarts)}) for t in job.tasks()]
        folder = logs / f"attempt-{_next_number(logs, tasks)}"
        attempt = _attempt(job, tasks, folder, screen, signals)
        running = list(attempt.tasks.values())
        if signals.received:
            screen.say(f"ended by {signal_name(signals.received[0])}; logs are in {folder}")
            return _interrupted(signals, running, folder)
        if not attempt.failed:
            screen.say(
                f"{_count(running)} done after {time.monotonic() - attempt.began:.1f} s{_restart_counts(running)}"
            )
            return JobEnd(0, None, None, running, folder)
        report = _report(running, attempt.began, folder)
        if report is not None:  # else the keeper has said why
            screen.failed(report)
        cause = None if report is None else report.cause
        alone = cause is not None and cause.went_on_alone
        if cause is not None and alone and restarts < job.restarts:
            screen.say(f"no restart: {cause.task} called alone what all tasks have to call, and would again")
        if alone or restarts == job.restarts:
            return JobEnd(exit_code(cause), None, report, running, folder)
        wait = min(job.wait * 2**restarts, _LONGEST_WAIT)
        restarts += 1
        screen.say(f"restart {restarts} of {job.restarts} in {wait:g} s: {_count(running)} started again")
        if signals.wait(wait):
            return _interrupted(signals, running, folder)


def _interrupted(signals: "_SignalReceiver", running: Sequence[TaskStatus], folder: Path) -> JobEnd:
    return JobEnd(128 + signals.received[0], signals.received[0], None, running, folder)


def _attempt(
    job: LaunchSpec, tasks: Sequence[TaskStart], folder: Path, screen: Display, signals: "_SignalReceiver"
) -> Attempt:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClusterError(
            f"The logs cannot be written to {folder}: {error.strerror}. Name another --log-dir."
        ) from None
    attempt = Attempt(
        job.program, tasks, folder, job.teed, grace=job.grace, alone=job.alone, worker_restarts=job.worker_restarts
    )
    running = list(attempt.tasks.values())
    try:
        handled = 0
        while not attempt.over:
            attempt.follow(_LOOK_SECONDS, signals.handle)
            signals.clear()
            if len(signals.received) > handled:
                handled = len(signals.received)
                _handle_signal(attempt, handled, job.grace, screen)
            _show(attempt, running, screen)
    finally:
        attempt.close()
    for task in running:
        if task.log.path.exists():
            screen.printed(task.name, task.log.rest() if task.name in job.teed else [])
    _show(attempt, running, screen)
    return attempt


def _handle_signal(attempt: Attempt, handled: int, grace: float, screen: Display) -> None:
    if handled == 1:
        screen.say(f"the tasks are told to end (SIGTERM) and killed in {grace:g} s; once more kills them now")
        attempt.end()
    else:
        attempt.kill()


def _show(attempt: Attempt, running: Sequence[TaskStatus], screen: Display) -> None:
    for task in running:
        lines = task.log.read()
        screen.printed(task.name, lines if task.log.whole else [])
    for note in attempt.notes:
        screen.say(note)
    attempt.notes.clear()
    screen.state(running)


def _report(running: Sequence[TaskStatus], began: float, folder: Path) -> FailureReport | None:
    """Reports which task failed first, how, and what followed; None if none failed."""
    ended = sorted((task.ended for task in running if task.ended is not None and task.over), key=lambda task: task.at)
    lost = [life for task in running for life in task.lost]
    failed = [task for task in ended if task.failed]
    if not failed:
        return None
    name = root_cause(ended)
    cause = next((task for task in ended if task.task == name), None)
    in_order = sorted((*ended, *lost), key=lambda task: (task is not cause, task.at))
    shown = cause if cause is not None and cause.failed else failed[0]
    return FailureReport(
        task=name,
        how=_where(cause),
        cause=cause,
        ended=[(task, "to be started again" if task in lost else _why(task, cause)) for task in in_order],
        shown=shown.task,
        lines=error_lines(shown.log),
        began=began,
        folder=folder,
    )


def _where(cause: EndedTask | None) -> str:
    if cause is None:
        return ", on another machine"
    if cause.asked:
        return ": it did not go on"
    if cause.went_on_alone:
        return f": {cause.outcome}, as it went on after the programs of others had ended"
    if cause.code == 0:
        return ": it ended while others still needed it"
    return f": {cause.outcome}{' (by hand, or out of memory?)' if cause.outcome == 'SIGKILL' else ''}"


def _why(task: EndedTask, cause: EndedTask | None) -> str:
    if task is cause:
        return "root cause"
    if task.asked:
        return "ended by the launcher"
    if task.code == 0:
        return "done"
    return f"could not go on without {task.blames}" if task.blames else "failed later"


def _next_number(logs: Path, tasks: Sequence[TaskStart]) -> int:
    """The number of the next attempt, after all that have logs of these tasks. Other machines may share the folder."""
    numbers = [folder.name.removeprefix("attempt-") for folder in logs.glob("attempt-*")]
    used = [n for n in numbers if n.isdigit() and any(log_path(logs / f"attempt-{n}", t.name).exists() for t in tasks)]
    return 1 + max(map(int, used), default=-1)


def _restart_counts(running: Sequence[TaskStatus]) -> str:
    times = [f"{len(task.lost)} of {task.name}" for task in running if task.lost]
    return f"; restarts: {', '.join(times)}" if times else ""


def _count(running: Sequence[TaskStatus]) -> str:
    return f"{len(running)} task{'s are' if len(running) != 1 else ' is'}"


@final
class _SignalReceiver:
    """Collects the signals with these numbers in `received`; `handle` becomes readable when one arrives."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self.received: list[int] = []

    def __enter__(self) -> Self:
        self.handle, self._write = os.pipe()
        os.set_blocking(self.handle, False)
        os.set_blocking(self._write, False)
        if self._numbers:
            self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, self._note) for number in self._numbers}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._numbers:
            signal.set_wakeup_fd(self._wakeup)
        os.close(self.handle)
        os.close(self._write)

    def clear(self) -> None:
        """Empties `handle`, so that it waits for the next signal."""
        if select.select([self.handle], [], [], 0)[0]:
            os.read(self.handle, 4096)

    def wait(self, seconds: float) -> bool:
        """Waits at most this many seconds; returns whether a signal has arrived."""
        select.select([self.handle], [], [], seconds)
        return bool(self.received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received.append(number)
