"""Keeps one Ray node for the tasks of a job on this machine, and ends it when none of them runs any more.

Run as a program of its own, by path, so that it imports nothing but Python's library: it outlives the task that starts it.

    python _ray_keeper.py FOLDER RAY_COMMAND...

FOLDER/tasks holds a file a task, named by its process id, with the time at which that process started. FOLDER/ready is there
when the node has answered; FOLDER/log has what Ray prints. In the end the folder is removed; nobody joins meanwhile, for
FOLDER.lock is held.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_LOOK = 0.2  # seconds between two looks
_GRACE = 1.0  # seconds without a task after which the node is ended: one may be restarting
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


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """What happens within is alone with the folder. Leaves no lock behind that the folder's end has removed."""
    path = Path(f"{folder}.lock")
    while True:
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists() and os.path.samestat(
                path.stat(), os.fstat(lock.fileno())
            ):  # not removed while this process waited for it
                yield
                return


def _end(ray: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Nothing of the node is worth saving, and it would take its time."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(ray.pid, signal.SIGKILL)
    ray.wait()
    shutil.rmtree(folder, ignore_errors=True)
    Path(f"{folder}.lock").unlink(missing_ok=True)


def main(folder: Path, command: list[str]) -> int:
    """Keep the node; 0 when the tasks have ended, 1 if the node did."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with open(folder / "log", "ab") as log:
        ray = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    last = time.monotonic() + _FIRST
    try:
        while ray.poll() is None:
            if _alive(folder):
                last = time.monotonic() + _GRACE
            elif time.monotonic() > last:
                with locked(folder):
                    if not _alive(folder):
                        _end(ray, folder)
                        return 0
            time.sleep(_LOOK)
        if (folder / "ready").exists():  # else the task that started it wants to read the log
            with locked(folder):
                _end(ray, folder)
        return 1
    except SystemExit:
        _end(ray, folder)
        raise


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
