"""Keeps one Ray node for the tasks of a job on this machine, and ends it when none of them runs any more.

Run as a program of its own, so that it outlives the task that starts it. Loads neither JAX nor Ray:

    _ray_keeper.py FOLDER RAY_COMMAND...

FOLDER/tasks has a file for each task, named by its process id, with the start time of that process. FOLDER/ready exists
when the node has answered; FOLDER/log has what Ray prints. FOLDER/held is locked as long as the keeper runs. At the end
the folder is removed; FOLDER.lock is held then, so that no task joins.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from stratagem._base.locks import locked, take_lock
from stratagem._base.processes import ProcessId

_LOOK = 0.2  # seconds between two looks
_GRACE = 1.0  # seconds without a task after which the node is ended: a task may be restarting
_FIRST = 60.0  # seconds within which the first task has to register
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG: the signal that the node gets when this process is killed


def _alive(folder: Path) -> bool:
    for file in folder.glob("tasks/*"):
        with contextlib.suppress(OSError, ValueError):
            if ProcessId(int(file.name), int(file.read_text())).is_running():
                return True
            file.unlink()
    return False


def lock_of(folder: Path) -> Path:
    """Returns the lock file of whoever starts the node in a folder, or removes the folder."""
    return Path(f"{folder}.lock")


def remove(folder: Path) -> None:
    """Removes the folder and all that is in it; another process may be removing it at the same time."""
    while folder.exists():
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)


def _end(ray: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Kills the node and removes the folder: it has nothing to save, and would be slow to end by itself."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(ray.pid, signal.SIGKILL)
    ray.wait()
    remove(folder)


def _keep(ray: "subprocess.Popen[bytes]", folder: Path) -> int:
    last = time.monotonic() + _FIRST
    while ray.poll() is None:
        if _alive(folder):
            last = time.monotonic() + _GRACE
        elif time.monotonic() > last:
            with locked(lock_of(folder)):
                if not _alive(folder):
                    _end(ray, folder)
                    lock_of(folder).unlink()
                    return 0
        time.sleep(_LOOK)
    if (folder / "ready").exists():  # otherwise the task that started it reads the log
        with locked(lock_of(folder)):
            _end(ray, folder)
            lock_of(folder).unlink()
    return 1


def main() -> int:
    """Keeps the node. Returns 0 when the tasks have ended, 1 if the node has ended before."""
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    libc, me = ctypes.CDLL(None), os.getpid()

    def die_with_the_keeper() -> None:
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != me:  # the keeper was killed before the call above
            os._exit(1)

    with (folder / "held").open("w") as lock, (folder / "log").open("ab") as log:
        take_lock(lock.fileno())
        ray = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=die_with_the_keeper,  # safe: this process has one thread
        )
        try:
            return _keep(ray, folder)
        except SystemExit:
            _end(ray, folder)
            # If the process that sent SIGTERM has the lock, it removes the file itself.
            with contextlib.suppress(BlockingIOError), locked(lock_of(folder), wait=False):
                lock_of(folder).unlink()
            raise
