"""The keeper: a small process, the parent of all tasks, that ends them when the launcher says so or has died itself.

It runs as a program of its own, on the standard library alone. Its input is one line of JSON, the order, and then `again TASK`,
`end` or `kill`; the end of its input means `end`, however the launcher died. Its output is one JSON event per line.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, final

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # options of prctl
_LINGER_SECONDS = 5.0  # for processes that the tasks started, once all tasks have ended
_KILL_SECONDS = 0.1  # between two rounds of SIGKILL
_END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@final
class TaskKeeper:
    """The tasks of one attempt.

    Processes that the tasks left behind become children of the keeper (it is their subreaper), even those in sessions of
    their own, so it finds them all. If the keeper itself is killed, the system kills the tasks: the keeper has one thread, so
    the parent-death signal is reliable here.
    """

    def __init__(self, order: dict[str, Any], rest: bytes) -> None:
        self._order = order
        self._input = rest
        self._names: dict[int, str] = {}  # the tasks' names by process id
        self._started: dict[int, subprocess.Popen[bytes]] = {}
        self._status = ""
        self._deadline: float | None = None  # when everything left is killed
        self._ending = False
        self._leftovers_reported = False
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._wakes, wake = os.pipe()
        os.set_blocking(self._wakes, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, *_END_SIGNALS):
            signal.signal(number, lambda *_: None)  # not SIG_IGN: tasks would inherit that
        if self._libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")

    def run(self) -> None:
        """Starts all tasks, and returns when none of their processes is left."""
        with tempfile.TemporaryDirectory(prefix="stratagem-status-", dir=_memory_folder()) as self._status:
            _emit(event="status", folder=self._status)
            for task in self._order["tasks"]:
                if not self._ending:
                    self._start(task)
            watched = [sys.stdin.fileno(), self._wakes]
            while self._reap():
                ready, _, _ = select.select(watched, [], [], self._timeout())
                if sys.stdin.fileno() in ready and not self._read_commands():
                    watched.remove(sys.stdin.fileno())
                if self._wakes in ready and not {*os.read(self._wakes, 4096)}.isdisjoint(_END_SIGNALS):
                    self._end()
                if self._deadline is not None and time.monotonic() >= self._deadline:
                    self._expire()

    def _start(self, task: dict[str, Any], *, again: bool = False) -> None:
        """Starts a task. again: it is restarted alone after it was lost, and its log is continued."""
        try:
            process = self._process(task, again)
        except OSError as error:
            _emit(event="refused", text=f"{task['name']} cannot be started: {error}")
            self._end()
            return
        self._started[process.pid] = process
        self._names[process.pid] = task["name"]
        _emit(event="started", task=task["name"], pid=process.pid, at=time.monotonic())

    def _process(self, task: dict[str, Any], again: bool) -> "subprocess.Popen[bytes]":
        environment = {k: v for k, v in os.environ.items() if k not in task["without"]}
        environment |= {**task["environment"], "STRATAGEM_STATUS_DIR": self._status}
        keeper = os.getpid()

        def die_with_keeper() -> None:
            self._libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != keeper:
                os._exit(1)

        flags = os.O_WRONLY | os.O_APPEND | (0 if again else os.O_CREAT | os.O_EXCL)
        with open(os.open(task["log"], flags, 0o666), "wb") as log:
            log.write(b"\n--- started again ---\n" if again else b"")
            log.flush()
            return subprocess.Popen(
                task["command"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the launcher, which then ends the tasks in order
                preexec_fn=die_with_keeper,
                pass_fds=task["handles"],
            )

    def _reap(self) -> bool:
        """Reports every task that has ended; returns whether any child process is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            name = self._names.pop(pid, None)
            if name is not None:
                code = os.waitstatus_to_exitcode(status)
                self._started.pop(pid).returncode = code  # else Popen would wait for it again
                _emit(event="ended", task=name, code=code, at=time.monotonic(), asked=self._ending)
                if not self._names:
                    self._all_ended()

    def _read_commands(self) -> bool:
        """Executes the launcher's commands; returns False at the end of the input."""
        data = os.read(sys.stdin.fileno(), 4096)
        *lines, self._input = (self._input + data).split(b"\n")
        if b"end" in lines or not data:
            self._end()
        for line in lines:
            if line.startswith(b"again ") and not self._ending:
                name = line.removeprefix(b"again ").decode()
                self._start(next(task for task in self._order["tasks"] if task["name"] == name), again=True)
        if b"kill" in lines:
            self._ending, self._deadline = True, time.monotonic()
        return bool(data)

    def _end(self) -> None:
        """Asks all tasks to end; those that do not are killed after the grace period."""
        if self._ending:
            return
        self._ending = True
        self._deadline = time.monotonic() + self._order["grace"]
        for pid in self._names:
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGCONT)  # a stopped task does not receive SIGTERM
        if not self._names:
            self._all_ended()

    def _all_ended(self) -> None:
        """Gives the processes that tasks leave behind (supervisors, a program's own children) a little longer."""
        limit = time.monotonic() + _LINGER_SECONDS
        self._deadline = limit if self._deadline is None else min(self._deadline, limit)
        if self._ending:
            for pid in _descendants():
                _kill(pid, signal.SIGTERM)

    def _expire(self) -> None:
        left = _descendants()
        if not self._ending and self._order["wait"]:
            self._deadline = None
            _emit(event="waits", processes=[_described(pid) for pid in left])
            return
        if not self._names and not self._leftovers_reported and left:
            self._leftovers_reported = True
            _emit(event="killed", processes=[_described(pid) for pid in left])
        for pid in left:
            _kill(pid, signal.SIGKILL)
        self._ending, self._deadline = True, time.monotonic() + _KILL_SECONDS

    def _timeout(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())


def _descendants() -> list[int]:
    """The ids of all running processes below this one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has gone meanwhile
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                if state not in "ZX":
                    children.setdefault(int(parent), []).append(int(entry.name))
    found = children.get(os.getpid(), [])
    for pid in found:
        found.extend(children.get(pid, []))
    return found


def _memory_folder() -> str | None:
    """A folder in memory, if there is one: a slow disk must not hold up a task that reports its step."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _described(pid: int) -> str:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"{pid} {command.strip()[:80]}"
    return str(pid)


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or not ours any more (setuid)
        os.kill(pid, number)


def _emit(**event: Any) -> None:
    with contextlib.suppress(BrokenPipeError):  # the launcher has gone
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def _order() -> tuple[dict[str, Any], bytes]:
    """The first line of the input, and the bytes that were read beyond it."""
    data = b""
    while b"\n" not in data:
        more = os.read(sys.stdin.fileno(), 65536)
        if not more:
            raise SystemExit(1)  # the launcher was gone before it gave an order
        data += more
    line, _, rest = data.partition(b"\n")
    return json.loads(line), rest


if __name__ == "__main__":
    TaskKeeper(*_order()).run()
