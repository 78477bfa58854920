"""Processes that begin where another one has imported JAX, Keras and the package, from which each is forked.

Everything else is as if Python had been started: environment, arguments, handles, signals, how they end. Tests of imports, of
settings that are read by an import, and of command lines start Python itself.
"""

import atexit
import functools
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, final

# Starts what imports, and is gone: tests may leave no process, and that one stays for the next test.
_DETACH = (
    "import os, sys; os.fork() and os._exit(0); os.setsid(); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
_PROGRAM = Path(__file__).with_name("prepared_process.py")
_LENGTH, _STATUS = struct.Struct("!I"), struct.Struct("!i")
_one_asks = threading.Lock()


@final
class PreparedProcess:
    """What tests use of `subprocess.Popen`."""

    def __init__(self, pid: int, status: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._status = status

    def poll(self) -> int | None:
        """The exit code (negative: a signal), if it has ended."""
        return self._ended_within(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        code = self._ended_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it is known to have ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send it SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _ended_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], seconds)[0]:
            told = os.read(self._status, _STATUS.size)
            assert told, "the process that all are forked from has ended"
            self.returncode = os.waitstatus_to_exitcode(_STATUS.unpack(told)[0])
            os.close(self._status)
        return self.returncode


def start(
    program: Path | str,
    *arguments: Any,
    output: IO[Any],
    errors: IO[Any] | None = None,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    session: bool = False,
) -> PreparedProcess:
    """A process that runs a file, or a text as `python -c` does.

    output, errors: files that it writes to; both to the first if there is one. session: it gets a session of its own.
    """
    request = {
        "program": str(program) if isinstance(program, Path) else "",
        "text": program if isinstance(program, str) else "",
        "arguments": list(map(str, arguments)),
        "environment": dict(os.environ if environment is None else environment),
        "directory": str(directory or Path.cwd()),
        "session": session,
    }
    text = json.dumps(request).encode()
    told, status = os.pipe()
    with _one_asks:
        asked = _origin()
        handles = [output.fileno(), (errors or output).fileno(), status]
        socket.send_fds(asked, [_LENGTH.pack(len(text))], handles)
        asked.sendall(text)
        (pid,) = _STATUS.unpack(asked.recv(_STATUS.size, socket.MSG_WAITALL))
    os.close(status)
    return PreparedProcess(pid, told)


def run(
    program: Path | str,
    *arguments: Any,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    timeout: float = 240.0,
) -> "subprocess.CompletedProcess[str]":
    """What became of such a process, as `subprocess.run` tells it."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = start(program, *arguments, output=output, errors=errors, environment=environment, directory=directory)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(
            [str(program)], code, output.read().decode(errors="replace"), errors.read().decode(errors="replace")
        )


@functools.cache
def _origin() -> socket.socket:
    ours, its = socket.socketpair()
    command = [sys.executable, "-c", _DETACH, "-u", str(_PROGRAM), str(its.fileno())]
    environment = {k: v for k, v in os.environ.items() if k != "PJRT_NPROC"}
    null = subprocess.DEVNULL
    subprocess.run(command, env=environment, pass_fds=[its.fileno()], stdin=null, stdout=null, check=True)
    its.close()
    atexit.register(ours.close)
    return ours
