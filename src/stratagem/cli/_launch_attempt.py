"""One attempt at a job: its tasks run under a keeper, until all have ended or the first failure ends them."""

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
from stratagem.cli._launch_cause import EndedTask
from stratagem.cli._launch_logs import Log, tail
from stratagem.cli._launch_plan import Started, kind_of

_KEEPER = Path(__file__).with_name("_launch_keeper.py")
_SETTLE_SECONDS = 3.0  # from the first failure until the others are told to end: they say best what happened to them
_RATE_SECONDS = 10.0  # over which steps a second are counted
_LONGEST_RETURN = 8.0  # seconds before a lost worker is started again; it is one the first time, and doubles
_LATE_SECONDS = 10.0  # for a worker that came again to notice that the job is done


@final
@dataclass
class Running:
    """A task as the launcher sees it. `position` is None until it has joined a job of several workers.

    lost: how it ended the times after which it was, or is to be, started again alone. again: when it will be (monotonic
    seconds; inf: the keeper is about to); None: it does not wait for that.
    """

    start: Started
    log: Log
    pid: int = 0
    position: Position | None = None
    ended: EndedTask | None = None
    lost: list[EndedTask] = field(default_factory=list)
    again: float | None = None
    steps: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def name(self) -> str:
        """Such as worker:1."""
        return self.start.name

    @property
    def over(self) -> bool:
        """Whether it has ended for good."""
        return self.ended is not None and self.again is None

    @property
    def rate(self) -> float | None:
        """Steps a second; None while too few were made."""
        if len(self.steps) < 2 or self.steps[-1][1] == self.steps[0][1]:
            return None
        (since, first), (now, last) = self.steps[0], self.steps[-1]
        return (last - first) / (now - since)

    def look(self, folder: Path) -> None:
        """Where it is now."""
        found = position_in(folder / f"{self.name}.progress")
        if found is not None:
            self.position = found
            now = time.monotonic()
            self.steps.append((now, found.step))
            while now - self.steps[0][0] > _RATE_SECONDS:
                self.steps.popleft()


@final
class Attempt:
    """The tasks of this machine, started. `follow` until `over`; then `failed` says how it went.

    program: the command of every task. folder: of their logs. teed: tasks whose every line is wanted. grace: seconds from
    SIGTERM to SIGKILL. alone: there is no other machine. returns: how often each worker that is lost is started again while
    the others go on.
    """

    def __init__(
        self,
        program: Sequence[str],
        tasks: Sequence[Started],
        folder: Path,
        teed: Sequence[str],
        *,
        grace: float,
        alone: bool,
        returns: int,
    ) -> None:
        self.began: Final = time.monotonic()
        self.over = False
        self.notes: list[str] = []  # what the keeper has to say
        self.tasks: Final = {
            task.name: Running(task, Log(log_path(folder, task.name), whole=task.name in teed)) for task in tasks
        }
        self._status: Path | None = None
        self._first_failure: float | None = None
        self._asked = False
        self._alone = alone
        self._returns = returns
        self._done: float | None = None  # when the chief ended well: there is nothing left to do for workers
        self._served = False
        self._events = b""
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_KEEPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # it decides by itself what Ctrl-C means
        )
        order = {
            "grace": grace,
            "wait": not alone,  # the supervisor of rank 0 serves the tasks of other machines as well
            "tasks": [
                {
                    "name": task.name,
                    "command": list(program),
                    "environment": dict(task.environment),
                    "without": list(task.without),
                    "log": str(self.tasks[task.name].log.path),
                }
                for task in tasks
            ],
        }
        self._say(json.dumps(order))

    @property
    def failed(self) -> bool:
        """Whether a task failed; known from then on."""
        return self._first_failure is not None

    def follow(self, seconds: float, wake: int) -> None:
        """Take in what happens within this time, less when something happens or `wake` becomes readable."""
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
                    task.look(self._status)
        self._decide()

    def end(self) -> None:
        """Tell the tasks to end: SIGTERM, and after the grace SIGKILL."""
        if not self._asked:
            self._asked = True
            self._say("end")

    def kill(self) -> None:
        """SIGKILL, now."""
        self._asked = True
        self._say("kill")

    def close(self) -> None:
        """Whatever happened: end the tasks, and wait for the keeper."""
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        if not self._keeper.stdin.closed:
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
                task.pid, task.ended, task.again = event["pid"], None, None
            case "ended":
                task = self.tasks[event["task"]]
                task.ended = EndedTask(
                    task.name, event["code"], event["at"], event["asked"], tail(task.log.path), task.pid
                )
                if task.ended.failed and self._first_failure is None:
                    self._miss(task, task.ended)
            case "refused":
                self._first_failure = time.monotonic()
                self.notes.append(event["text"])
            case "waits":
                self.notes.append(_told("still run, perhaps for other machines; Ctrl-C ends them", event["processes"]))
            case "killed":
                self.notes.append(_told("outlived the tasks that started them and were killed", event["processes"]))

    def _miss(self, task: Running, ended: EndedTask) -> None:
        """A task has failed, and so has the attempt, unless it is a worker that the others can do without for a while."""
        used_up = len(task.lost) >= self._returns
        if kind_of(task.name) != "worker" or not self._returns or (used_up and self._done is None):
            self._first_failure = ended.at
            return
        follows = "the job was done by then"
        if self._done is None:
            wait = min(2.0 ** len(task.lost), _LONGEST_RETURN)
            task.lost.append(ended)
            task.again = time.monotonic() + wait
            follows = f"restart {len(task.lost)} of {self._returns} in {wait:g} s"
        self.notes.append(f"{task.name} ended after {ended.at - self.began:.1f} s: {ended.how}; {follows}")

    def _decide(self) -> None:
        now = time.monotonic()
        if self._first_failure is not None and now - self._first_failure >= _SETTLE_SECONDS:
            self.end()
        servers = [task for task in self.tasks.values() if kind_of(task.name) == "ps"]
        served = [task for task in self.tasks.values() if task not in servers]
        if servers:
            self._return(now, servers, served)
        if servers and served and not self._served and all(task.over for task in served):
            self._served = True
            if self._alone:
                self.end()
            else:
                self.notes.append("Parameter servers go on, perhaps for other machines; Ctrl-C ends them.")

    def _return(self, now: float, servers: Sequence[Running], served: Sequence[Running]) -> None:
        """Start the workers again whose time has come, as long as there is something to do for them."""
        chief = next((task for task in served if kind_of(task.name) == "chief"), None)
        if self._done is None and chief is not None and chief.ended is not None and chief.ended.code == 0:
            self._done = now
        for task in served:
            if self._first_failure is not None or self._asked or task.again is None or math.isinf(task.again):
                continue
            if self._done is not None:
                self._give_up(task)
            elif task.again <= now and not all(server.over for server in servers):
                task.again = math.inf
                self._say(f"again {task.name}")
            elif task.again <= now and chief is None:
                self._give_up(task)
                self._first_failure = now
        # A worker that came after the end has nobody to tell it so.
        left = [task for task in served if not task.over]
        late = self._done is not None and now - self._done >= _LATE_SECONDS
        if late and left and all(task.lost for task in left):
            self.end()

    def _give_up(self, task: Running) -> None:
        task.again = None
        task.lost.pop()
        self.notes.append(f"{task.name} is not started again: there is nothing left to do for it")

    def _finish(self) -> None:
        self.over = True
        if self._keeper.wait() != 0 or any(task.ended is None for task in self.tasks.values()):
            self._first_failure = self._first_failure or time.monotonic()
            self.notes.append("The process that keeps the tasks has ended unexpectedly; the system has killed them.")

    def _say(self, line: str) -> None:
        assert self._keeper.stdin is not None
        try:
            self._keeper.stdin.write(line.encode() + b"\n")
            self._keeper.stdin.flush()
        except BrokenPipeError:
            pass  # its output ends too, which `follow` sees


def log_path(folder: Path, task: str) -> Path:
    """The log of a task. No colon in its name: `scp` and `rsync` would take `worker` for a machine."""
    return folder / f"{task.replace(':', '-')}.log"


def _told(what: str, processes: list[str]) -> str:
    return f"{len(processes)} process{'es' * (len(processes) != 1)} {what}: {'; '.join(processes)}"
