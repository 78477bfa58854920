"""One attempt at a job: its tasks run under a keeper process, until all have ended or the first failure ends them."""

import contextlib
import json
import math
import os
import select
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from stratagem._cluster.control import Position, position_in
from stratagem._launch._cause import EndedTask
from stratagem._launch._plan import TaskStart, kind_of
from stratagem._launch._task_log_reader import TaskLogReader, tail

_KEEPER = Path(__file__).with_name("_keeper.py")
_SETTLE_SECONDS = 3.0  # from the first failure until the others are told to end: their own errors tell most
_RATE_SECONDS = 10.0  # the window over which steps per second are counted
_LONGEST_RETURN = 8.0  # seconds before a lost worker is restarted, at most; one second the first time, then doubling
_LATE_SECONDS = 10.0  # how long a restarted worker may take to notice that the job is done


@final
@dataclass
class TaskStatus:
    """A task as the launcher sees it. `position` is None until the task has joined a job of several workers.

    lost: one entry for each time that the task ended and was, or will be, restarted alone. restart_at: when its next restart is
    due (monotonic seconds; inf: the keeper has been told to); None: no restart is pending.
    """

    start: TaskStart
    log: TaskLogReader
    pid: int = 0
    position: Position | None = None
    ended: EndedTask | None = None
    lost: list[EndedTask] = field(default_factory=list)
    restart_at: float | None = None
    steps: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def name(self) -> str:
        """The task's name, such as worker:1."""
        return self.start.name

    @property
    def over(self) -> bool:
        """True if the task has ended for good."""
        return self.ended is not None and self.restart_at is None

    @property
    def rate(self) -> float | None:
        """Steps per second; None while there are too few to tell."""
        if len(self.steps) < 2 or self.steps[-1][1] == self.steps[0][1]:
            return None
        (since, first), (now, last) = self.steps[0], self.steps[-1]
        return (last - first) / (now - since)

    def update_position(self, folder: Path) -> None:
        """Updates the position from the file in `folder` that the task's supervisor writes."""
        found = position_in(folder / f"{self.name}.progress")
        if found is not None:
            self.position = found
            now = time.monotonic()
            self.steps.append((now, found.step))
            while now - self.steps[0][0] > _RATE_SECONDS:
                self.steps.popleft()


@final
class Attempt:
    """The started tasks of this machine. Call `follow` until `over` is true; `failed` then says how it went.

    program: the command of every task. folder: where their logs go. teed: tasks of which every line is printed. grace: seconds
    from SIGTERM to SIGKILL. alone: whether this is the only machine. worker_restarts: how often each lost worker is
    restarted while the others go on.
    """

    def __init__(
        self,
        program: Sequence[str],
        tasks: Sequence[TaskStart],
        folder: Path,
        teed: Sequence[str],
        *,
        grace: float,
        alone: bool,
        worker_restarts: int,
    ) -> None:
        self.began: Final = time.monotonic()
        self.over = False
        self.notes: list[str] = []  # messages for the user
        self.tasks: Final = {
            task.name: TaskStatus(task, TaskLogReader(log_path(folder, task.name), whole=task.name in teed))
            for task in tasks
        }
        self._status: Path | None = None
        self._first_failure: float | None = None
        self._end_requested = False
        self._alone = alone
        self._worker_restarts = worker_restarts
        self._done: float | None = None  # when the chief ended well, after which workers have nothing left to do
        self._clients_over = False
        self._events = b""
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_KEEPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # it decides by itself what Ctrl-C means
            pass_fds=sorted({handle for task in tasks for handle in task.handles}),
        )
        order = {
            "grace": grace,
            "wait": not alone,  # the supervisor of rank 0 also serves the tasks of other machines
            "tasks": [
                {
                    "name": task.name,
                    "command": [*program, *task.arguments],
                    "environment": dict(task.environment),
                    "without": list(task.without),
                    "handles": list(task.handles),
                    "log": str(self.tasks[task.name].log.path),
                }
                for task in tasks
            ],
        }
        self._send(json.dumps(order))

    @property
    def failed(self) -> bool:
        """True if a task has failed so far."""
        return self._first_failure is not None

    def follow(self, seconds: float, wake: int) -> None:
        """Handles events for at most this many seconds; returns earlier when one arrives or `wake` becomes readable."""
        assert self._keeper.stdout is not None
        events = self._keeper.stdout.fileno()
        ready, _, _ = select.select([events, wake], [], [], seconds)
        if events in ready:
            data = os.read(events, 1 << 16)
            *lines, self._events = (self._events + data).split(b"\n")
            for line in lines:
                self._receive(json.loads(line))
            if not data:
                self._finish()
        if self._status is not None:
            for task in self.tasks.values():
                if task.ended is None:
                    task.update_position(self._status)
        if not self.over:
            self._end_or_restart()

    def end(self) -> None:
        """Asks the tasks to end: SIGTERM, then SIGKILL after the grace period."""
        if not self._end_requested:
            self._end_requested = True
            self._send("end")

    def kill(self) -> None:
        """Kills the tasks with SIGKILL at once."""
        self._end_requested = True
        self._send("kill")

    def close(self) -> None:
        """Ends the tasks in any case, and waits for the keeper."""
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        # Its buffer has what the keeper no longer reads: closing it would try to write that again.
        with contextlib.suppress(BrokenPipeError):
            self._keeper.stdin.close()
        while self._keeper.stdout.read(1 << 16):
            pass
        self._keeper.stdout.close()
        self._keeper.wait()
        if self._status is not None and self._status.exists():  # the keeper was killed
            shutil.rmtree(self._status)

    def _receive(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "status":
                self._status = Path(event["folder"])
            case "started":
                task = self.tasks[event["task"]]
                task.pid, task.ended, task.restart_at = event["pid"], None, None
            case "ended":
                task = self.tasks[event["task"]]
                task.ended = EndedTask(
                    task.name, event["code"], event["at"], event["asked"], tail(task.log.path), task.pid
                )
                if task.ended.failed and self._first_failure is None:
                    self._handle_failure(task, task.ended)
            case "refused":
                self._first_failure = time.monotonic()
                self.notes.append(event["text"])
            case "waits":
                self.notes.append(
                    _process_note("still run, perhaps for other machines; Ctrl-C ends them", event["processes"])
                )
            case "killed":
                self.notes.append(
                    _process_note("outlived the tasks that started them and were killed", event["processes"])
                )

    def _handle_failure(self, task: TaskStatus, ended: EndedTask) -> None:
        """Handles a failed task: the attempt fails, unless it is a worker that the others can do without for a while."""
        used_up = len(task.lost) >= self._worker_restarts
        if kind_of(task.name) != "worker" or not self._worker_restarts or (used_up and self._done is None):
            self._first_failure = ended.at
            return
        follows = "the job was done by then"
        if self._done is None:
            wait = min(2.0 ** len(task.lost), _LONGEST_RETURN)
            task.lost.append(ended)
            task.restart_at = time.monotonic() + wait
            follows = f"restart {len(task.lost)} of {self._worker_restarts} in {wait:g} s"
        self.notes.append(f"{task.name} ended after {ended.at - self.began:.1f} s: {ended.outcome}; {follows}")

    def _end_or_restart(self) -> None:
        now = time.monotonic()
        if self._first_failure is not None and now - self._first_failure >= _SETTLE_SECONDS:
            self.end()
        servers = [task for task in self.tasks.values() if kind_of(task.name) == "ps"]
        clients = [task for task in self.tasks.values() if task not in servers]
        if servers:
            self._restart_lost(now, servers, clients)
        if servers and clients and not self._clients_over and all(task.over for task in clients):
            self._clients_over = True
            if self._alone:
                self.end()
            else:
                self.notes.append("Parameter servers go on, perhaps for other machines; Ctrl-C ends them.")

    def _restart_lost(self, now: float, servers: Sequence[TaskStatus], clients: Sequence[TaskStatus]) -> None:
        """Restarts the lost workers that are due, as long as there is work left for them."""
        chief = next((task for task in clients if kind_of(task.name) == "chief"), None)
        if self._done is None and chief is not None and chief.ended is not None and chief.ended.code == 0:
            self._done = now
        for task in clients:
            if self._first_failure is not None or self._end_requested:
                continue
            if task.restart_at is None or math.isinf(task.restart_at):
                continue
            if self._done is not None:
                self._give_up(task)
            elif task.restart_at <= now and not all(server.over for server in servers):
                task.restart_at = math.inf
                self._send(f"again {task.name}")
            elif task.restart_at <= now and chief is None:
                self._give_up(task)
                self._first_failure = now
        # Nobody tells a worker that was restarted after the end that the job is done.
        left = [task for task in clients if not task.over]
        late = self._done is not None and now - self._done >= _LATE_SECONDS
        if late and left and all(task.lost for task in left):
            self.end()

    def _give_up(self, task: TaskStatus) -> None:
        task.restart_at = None
        task.lost.pop()
        self.notes.append(f"{task.name} is not started again: there is nothing left to do for it")

    def _finish(self) -> None:
        self.over = True
        if self._keeper.wait() != 0 or any(task.ended is None for task in self.tasks.values()):
            self._first_failure = self._first_failure or time.monotonic()
            self.notes.append("The process that keeps the tasks has ended unexpectedly; the system has killed them.")

    def _send(self, line: str) -> None:
        assert self._keeper.stdin is not None
        try:
            self._keeper.stdin.write(line.encode() + b"\n")
            self._keeper.stdin.flush()
        except BrokenPipeError:
            pass  # the keeper's output ends too, which `follow` notices


def log_path(folder: Path, task: str) -> Path:
    """The path of a task's log. Its name has no colon: `scp` and `rsync` would take `worker` for a host."""
    return folder / f"{task.replace(':', '-')}.log"


def _process_note(what: str, processes: list[str]) -> str:
    return f"{len(processes)} process{'es' * (len(processes) != 1)} {what}: {'; '.join(processes)}"
