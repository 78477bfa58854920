"""The private folders of this machine's Ray nodes, one for each job, with its secret, keeper and tasks."""

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from stratagem._base.errors import ClusterError
from stratagem._cluster import Address
from stratagem._servers.remote import _ray_keeper as keeper

_END_SECONDS = 10.0  # for a keeper to end its node
_LOOK = 0.05


@contextlib.contextmanager
def locked(head: Address) -> Iterator[Path]:
    """Locks the folder of this machine's node for this process, and yields it.

    Removes the folder if the node does not run in the end, and also folders of other jobs that were killed.
    """
    folder = _folder(head)
    _sweep(folder.parent)
    with keeper.locked(folder):
        if not runs(folder):  # left by a keeper that was killed, or by a task that was killed while it started one
            _clear(folder)
        (folder / "tasks").mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            yield folder
        finally:
            if not runs(folder):
                _clear(folder)
                Path(f"{folder}.lock").unlink()


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
            keeper.locked(folder, wait=False),
        ):  # a task that uses it has the lock
            if not _kept(folder):
                keeper.remove(folder)
                Path(f"{folder}.lock").unlink()


def _kept(folder: Path) -> bool:
    return keeper.held(folder) or bool(_keeper(folder)[1])


def _clear(folder: Path) -> None:
    end_keeper(folder)
    keeper.remove(folder)


def end_keeper(folder: Path) -> None:
    """Ends the keeper, if it runs, and its node."""
    pid, since = _keeper(folder)
    for number in (signal.SIGTERM, signal.SIGKILL):  # the node ends with the keeper in both cases
        end = time.monotonic() + _END_SECONDS
        if since and keeper.started_at(pid) == since:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        while since and keeper.started_at(pid) == since and time.monotonic() < end:
            time.sleep(_LOOK)


def note_keeper(folder: Path, pid: int) -> None:
    """Writes down the keeper's process id and start time."""
    (folder / "keeper").write_text(f"{pid} {keeper.started_at(pid)}")


def _keeper(folder: Path) -> tuple[int, str]:
    """Returns the keeper's process id and start time; 0 and "" if it does not run."""
    with contextlib.suppress(OSError, ValueError):
        pid, _, since = (folder / "keeper").read_text().partition(" ")
        if keeper.started_at(int(pid)) == since:
            return int(pid), since
    return 0, ""


def runs(folder: Path) -> bool:
    """Returns whether the node has started and its keeper runs."""
    return bool(_keeper(folder)[1]) and (folder / "ready").exists()


def register(folder: Path) -> None:
    """Registers this process as a task that uses the node."""
    (folder / "tasks" / str(os.getpid())).write_text(keeper.started_at(os.getpid()) or "")


def log_of(folder: Path) -> str:
    """Returns what Ray's command has printed."""
    try:
        return (folder / "log").read_text(errors="replace")
    except OSError:
        return ""


def last_words(folder: Path) -> str:
    """Returns the last lines of the log, joined into one."""
    return " | ".join(log_of(folder).strip().splitlines()[-5:]) or "none"
