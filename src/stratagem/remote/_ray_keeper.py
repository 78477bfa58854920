"""Keeps one Ray node for the tasks of a job on this machine, and ends it when none of them runs any more.

Run as a program of its own, by path, so that it imports nothing but Python's library: it outlives the task that starts it.

    python _ray_keeper.py FOLDER RAY_COMMAND...

FOLDER/tasks holds a file a task, named by its process id, with the time at which that process started. FOLDER/ready is
written when the node answers; FOLDER/log has what Ray prints. In the end the folder is removed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_LOOK = 0.25  # seconds between two looks
_GRACE = 3.0  # seconds without a task after which the node is ended: one may be restarting
_FIRST = 60.0  # seconds in which the first task has to have come


def started_at(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; None if it does not run."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[0] == "Z" else fields[19]


def _alive(folder: Path) -> bool:
    for file in folder.glob("tasks/*"):
        with contextlib.suppress(OSError, ValueError):
            if started_at(int(file.name)) == file.read_text():
                return True
            file.unlink()
    return False


def _end(ray: "subprocess.Popen[bytes]") -> None:
    """Ray's command ends its node when it is asked to; what is left of its group is killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(ray.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            ray.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(ray.pid, signal.SIGKILL)


def main(folder: Path, command: list[str]) -> int:
    """Keep the node; 0 when the tasks have ended, 1 if the node did."""
    with open(folder / "log", "ab") as log:
        ray = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    last = time.monotonic() + _FIRST
    try:
        while time.monotonic() < last:
            if ray.poll() is not None:
                return 1
            if _alive(folder):
                last = time.monotonic() + _GRACE
            time.sleep(_LOOK)
        return 0
    finally:
        _end(ray)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
