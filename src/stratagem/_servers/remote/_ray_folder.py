"""The private folders of this machine's Ray nodes, one for each job, with its secret, keeper and tasks."""

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from stratagem._base.errors import ClusterError
from stratagem._base.files import write_text
from stratagem._base.locks import is_locked
from stratagem._base.locks import locked as lock_file
from stratagem._base.processes import ProcessId
from stratagem._cluster import Address
from stratagem._servers.remote._ray_keeper import lock_of, remove

_END_SECONDS = 10.0  # for a keeper to end its node
_LOOK = 0.05


@contextlib.contextmanager
def locked(head: Address) -> Iterator[Path]:
    """Locks the folder of this machine's node for this process, and yields it.

    Removes the folder if the node does not run in the end, and also folders of other jobs that were killed.
    """
    folder = _folder(head)
    _sweep(folder.parent)
    with lock_file(lock_of(folder)):
        if not runs(folder):  # left by a keeper that was killed, or by a task that was killed while it started one
            _clear(folder)
        folder.mkdir(mode=0o700, exist_ok=True)  # `parents=True` would make it with another mode
        (folder / "tasks").mkdir(mode=0o700, exist_ok=True)
        try:
            yield folder
        finally:
            if not runs(folder):
                _clear(folder)
                lock_of(folder).unlink()


def _folder(head: Address) -> Path:
    """Returns the folder, which is private to this user. Its path is short, for Ray puts sockets below it."""
    root = Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir(), f"stratagem-{os.geteuid()}")
    root.mkdir(mode=0o700, exist_ok=True)
    facts = root.lstat()
    if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
        raise ClusterError(f"{root} is not this user's alone. Remove it.")
    return root / f"ray-{head.port}"


def _sweep(root: Path) -> None:
    """Removes folders without a keeper, and lock files without a folder, of jobs whose processes were all killed."""
    for name in {path.name.removesuffix(".lock") for path in root.glob("ray-*")}:
        folder = root / name
        if _kept(folder):
            continue
        with (
            contextlib.suppress(BlockingIOError),
            lock_file(lock_of(folder), wait=False),
        ):  # a task that uses it has the lock
            if not _kept(folder):
                remove(folder)
                lock_of(folder).unlink()


def _kept(folder: Path) -> bool:
    return is_locked(folder / "held") or _keeper(folder) is not None  # its number means nothing in another container


def _clear(folder: Path) -> None:
    end_keeper(folder)
    remove(folder)


def end_keeper(folder: Path) -> None:
    """Ends the keeper, if it runs, and its node."""
    keeper = _keeper(folder)
    if keeper is None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):  # the node ends with the keeper in both cases
        end = time.monotonic() + _END_SECONDS
        if keeper.is_running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(keeper.pid, number)
        while keeper.is_running() and time.monotonic() < end:
            time.sleep(_LOOK)


def note_keeper(folder: Path, pid: int) -> None:
    """Writes down the keeper's process id and start time."""
    keeper = ProcessId.of(pid)
    if keeper is not None:
        write_text(folder / "keeper", f"{keeper.pid} {keeper.started}")


def _keeper(folder: Path) -> ProcessId | None:
    """Returns the keeper's process; None if it does not run."""
    with contextlib.suppress(OSError, ValueError):
        pid, started = (folder / "keeper").read_text().split()
        keeper = ProcessId(int(pid), int(started))
        return keeper if keeper.is_running() else None
    return None


def runs(folder: Path) -> bool:
    """Returns whether the node has started and its keeper runs."""
    return _keeper(folder) is not None and (folder / "ready").exists()


def register(folder: Path) -> None:
    """Registers this process as a task that uses the node."""
    task = ProcessId.own()
    write_text(
        folder / "tasks" / str(task.pid), str(task.started)
    )  # atomically, because the keeper removes a registration of no process


def log_of(folder: Path) -> str:
    """Returns what Ray's command has printed."""
    try:
        return (folder / "log").read_text(errors="replace")
    except OSError:
        return ""


def last_words(folder: Path) -> str:
    """Returns the last lines of the log, joined into one."""
    return " | ".join(log_of(folder).strip().splitlines()[-5:]) or "none"
