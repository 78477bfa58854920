"""Keeps one Ray node for the tasks of a job on this machine, and ends it when none of them runs any more.

Run as a program, by path, and imports nothing but Python's library, so that it outlives the task that starts it:

    python _ray_keeper.py FOLDER RAY_COMMAND...

FOLDER/tasks has a file for each task, named by its process id, with the start time of that process. FOLDER/ready exists
when the node has answered; FOLDER/log has what Ray prints. FOLDER/held is locked as long as the keeper runs. At the end
the folder is removed; FOLDER.lock is held then, so that no task joins.
"""

import contextlib
import ctypes
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
_GRACE = 1.0  # seconds without a task after which the node is ended: a task may be restarting
_FIRST = 60.0  # seconds within which the first task has to register
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG: the signal that the node gets when this process is killed


def started_at(pid: int) -> str | None:
    """Returns the start time of a process, in the kernel's ticks; None if it does not run."""
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
def locked(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds the folder's lock while the body runs. Never leaves a lock file behind for a folder that was removed meanwhile.

    Raises BlockingIOError if another process has the lock and `wait` is false.
    """
    path = Path(f"{folder}.lock")
    while True:
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            # The file may have been removed while this process waited for the lock.
            if path.exists() and os.path.samestat(path.stat(), os.fstat(lock.fileno())):
                yield
                return


def remove(folder: Path) -> None:
    """Removes the folder and all that is in it; another process may be removing it at the same time."""
    while folder.exists():
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)


def held(folder: Path) -> bool:
    """Returns whether a keeper runs for the folder, in any container."""
    with contextlib.suppress(FileNotFoundError), (folder / "held").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


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
            with locked(folder):
                if not _alive(folder):
                    _end(ray, folder)
                    Path(f"{folder}.lock").unlink()
                    return 0
        time.sleep(_LOOK)
    if (folder / "ready").exists():  # otherwise the task that started it reads the log
        with locked(folder):
            _end(ray, folder)
            Path(f"{folder}.lock").unlink()
    return 1


def main(folder: Path, command: list[str]) -> int:
    """Keeps the node. Returns 0 when the tasks have ended, 1 if the node has ended before."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    libc, me = ctypes.CDLL(None), os.getpid()

    def die_with_the_keeper() -> None:
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != me:  # the keeper was killed before the call above
            os._exit(1)

    with (folder / "held").open("w") as lock, (folder / "log").open("ab") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
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
            _end(ray, folder)  # the process that sent SIGTERM has the lock or does not need it
            raise


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
