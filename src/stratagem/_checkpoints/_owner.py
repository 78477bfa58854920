"""Ownership of a directory: one process at a time saves to it, and is recorded in `.owner.json` while it lives.

On the same machine an owner is alive when its process is: process id and start time are compared. Elsewhere (another host,
another container, before a reboot) it is alive while it keeps touching the file, as every owner does. A newcomer waits
that long, by its own clock, before it takes over, so clocks need not agree.
"""

import contextlib
import json
import logging
import os
import platform
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stratagem._base.errors import FailedPreconditionError
from stratagem._base.files import remove_temporaries
from stratagem._base.locks import take_lock
from stratagem._base.paths import absolute, is_remote
from stratagem._base.processes import ProcessId, machine
from stratagem._base.storage import file_system
from stratagem._checkpoints._safe_reads import UnreadableFileError, read_text

_log = logging.getLogger("stratagem.checkpoint")

NAME = ".owner.json"
TOUCH_EVERY = 15.0  # seconds
LAPSES_AFTER = 60.0  # seconds without a touch
_LOCK_SECONDS = 5.0  # seconds to wait for a process that holds the lock, which takes it a millisecond
_LIMIT = 1 << 20  # bytes of the file
_FACTS = {"host": str, "pid": int, "started": int, "machine": str}
# The names of the checkpoints that this process saves at the moment, by directory.
_names: dict[str, list[str]] = {}
_names_lock = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class DirectoryOwner:
    """A process. `machine` is equal for processes that share process ids; `started`, in clock ticks since the machine's start,
    distinguishes it from a later process with the same id. `saving`: the names of the checkpoints that it has begun, and may
    not have completed.
    """

    host: str
    pid: int
    started: int
    machine: str
    saving: tuple[str, ...] = field(default=(), compare=False)

    def is_here(self) -> bool:
        """Returns whether this process can query the system about it."""
        return bool(self.machine) and self.machine == machine()

    def is_running(self) -> bool:
        """Returns whether the process still runs; only valid if it `is_here`."""
        return ProcessId(self.pid, self.started).is_running()


@contextlib.contextmanager
def owning(directory: str, holder: object, saving: str) -> Iterator[tuple[str, ...]]:
    """Runs the body as the process that saves to the existing `directory`, and remains the owner while `holder` lives.

    saving: the name of the checkpoint that the body saves. Gives the body the names of those that the owner before this
    process was saving; none if this process was the owner.

    If the body fails, ownership is left as it was. Raises FailedPreconditionError when another living process is the
    owner, which may take a minute to find out; and OSError.
    """
    path = absolute(directory) if is_remote(directory) else str(Path(directory).resolve())
    new = _touching.hold(path, holder)
    try:
        with _saving(path, saving):
            before = take_ownership(path)
            yield before
        if before:  # the body has looked at them
            _forget_names(path)
    except BaseException:
        if new:
            _touching.release(path, id(holder))
        raise


@contextlib.contextmanager
def _saving(path: str, name: str) -> Iterator[None]:
    """In the body, the owner's file says when it is written that this checkpoint is being saved."""
    with _names_lock:
        _names.setdefault(path, []).append(name)
    try:
        yield
    finally:
        with _names_lock:
            _names[path].remove(name)
            if not _names[path]:
                del _names[path]


def _forget_names(path: str) -> None:
    with _lock(path):
        if _read(path) == me():
            _write(path)


def take_ownership(path: str) -> tuple[str, ...]:
    """Makes this process the owner until `disown`. Returns what `owning` gives; raises the same errors."""
    seen: _Sighting | None = None
    while True:
        with _lock(path):
            owner = _read(path)
            if owner == me():
                _write(path)
                return ()
            if owner is None or _is_gone(owner, path, seen):
                # The names of before stay until this process has had the time to look at them.
                before = () if owner is None else owner.saving
                _write(path, before)
                if not is_remote(path):
                    remove_temporaries(Path(path, NAME))
                return before
        if owner.is_here():
            raise _refusal(path, owner, "it is running")
        if seen is None or seen.owner != owner:
            seen = _Sighting.of(path, owner)
            _log.warning(
                "%s belongs to process %d on %s. Waiting up to %.0f s to see whether it is still there.",
                path, owner.pid, owner.host, LAPSES_AFTER,
            )  # fmt: skip
        elif seen.touched != _touched(path):
            raise _refusal(path, owner, "it was active within the last minute")
        time.sleep(min(1.0, LAPSES_AFTER / 10))


def disown(path: str) -> None:
    """Gives up a directory if this process owns it."""
    with contextlib.suppress(OSError):  # the directory is gone, or now read-only
        if _read(path) == me():
            file = os.path.join(path, NAME)
            file_system(file).remove(file)


def owner_of(directory: str) -> DirectoryOwner | None:
    """The owner of the directory according to its file; None without one."""
    return _read(directory)


def me() -> DirectoryOwner:
    """This process."""
    return DirectoryOwner(host=platform.node(), **ProcessId.own()._asdict(), machine=machine())


@dataclass(frozen=True)
class _Sighting:
    """The time when an owner elsewhere was first seen, and the modification time of its file then."""

    owner: DirectoryOwner
    touched: str
    at: float

    @classmethod
    def of(cls, path: str, owner: DirectoryOwner) -> "_Sighting":
        return cls(owner, _touched(path), time.monotonic())


def _is_gone(owner: DirectoryOwner, path: str, seen: _Sighting | None) -> bool:
    if owner.is_here():
        gone, why = not owner.is_running(), "it is not running any more"
    else:
        still = seen is not None and seen.owner == owner and seen.touched == _touched(path)
        gone = still and seen is not None and time.monotonic() - seen.at >= LAPSES_AFTER
        why = f"it showed no sign of life for {LAPSES_AFTER:.0f} s"
    if gone:
        _log.info("Taking %s over from process %d on %s: %s.", path, owner.pid, owner.host, why)
    return gone


def _refusal(path: str, owner: DirectoryOwner, sign: str) -> FailedPreconditionError:
    return FailedPreconditionError(
        f"Process {owner.pid} on {owner.host} saves its checkpoints to {path!r} ({sign}), and this is process "
        f"{os.getpid()} on {platform.node()}. Two jobs in one directory overwrite each other: give this one a directory "
        f"of its own, or stop the other. If you are sure that it is gone, delete {os.path.join(path, NAME)!r}."
    )


def _write(path: str, before: tuple[str, ...] = ()) -> None:
    file = os.path.join(path, NAME)
    with _names_lock:
        saving = [*before, *_names.get(path, [])]
    file_system(file).write(file, json.dumps({**asdict(me()), "saving": saving}).encode())


def _read(path: str) -> DirectoryOwner | None:
    file = os.path.join(path, NAME)
    try:
        found = json.loads(read_text(file, _LIMIT))
        listed = found.get("saving", [])
        saving = tuple(name for name in listed if _is_name(name)) if isinstance(listed, list) else ()
        facts = {key: kind(found[key]) for key, kind in _FACTS.items()}
        if not 0 < facts["pid"] < 1 << 31:
            raise ValueError("no process has that number")
        return DirectoryOwner(**facts, saving=saving)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (UnreadableFileError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return DirectoryOwner(host="an unknown host (its file is damaged)", pid=0, started=0, machine="")


def _is_name(name: object) -> bool:
    """Returns whether this may be the name of a checkpoint in a directory. Anybody may have written the file."""
    return isinstance(name, str) and name not in ("", ".", "..") and os.path.basename(name) == name and "\0" not in name


def _touched(path: str) -> str:
    """A mark of the last touch. The file is opened for it, because network file systems then ask their server again."""
    place = os.path.join(path, NAME)
    if is_remote(place):
        status = file_system(place).status(place)
        return "" if status is None else status.mark
    try:
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # it may be a pipe, which nobody writes to
    except FileNotFoundError:
        return ""
    try:
        return str(os.fstat(handle).st_mtime_ns)
    finally:
        os.close(handle)


def _touch(path: str) -> None:
    if is_remote(path):
        _write(path)  # a new time, or a new version
    else:
        os.utime(os.path.join(path, NAME))


@contextlib.contextmanager
def _lock(path: str) -> Iterator[None]:
    """Lets one process at a time read and write the file, if the file system has locks."""
    if is_remote(path):
        yield  # who was replaced within the same moment finds the other one at its next save
        return
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # a file system without locks: a race of milliseconds stays open
            take_lock(handle, _LOCK_SECONDS)
        yield
    finally:
        os.close(handle)


class _Touching:
    """The thread that touches the files of this process; it runs while there are any."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a collected holder calls back in the middle of anything
        self._holders: dict[str, set[int]] = {}
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def hold(self, path: str, holder: object) -> bool:
        """Touches the file in this directory until all its holders are gone; returns False if `holder` already is one."""
        with self._lock:
            holders = self._holders.setdefault(path, set())
            if self._thread is None or not self._thread.is_alive():  # not alive: this is a forked child
                self._start()
            if id(holder) in holders:
                return False
            holders.add(id(holder))
            weakref.finalize(holder, self.release, path, id(holder))
            return True

    def _start(self) -> None:
        self._wake = threading.Event()
        thread = threading.Thread(target=self._run, args=(self._wake,), daemon=True, name="checkpoint owner")
        try:
            thread.start()
            self._thread = thread
        except RuntimeError as error:
            # A program that ends, with a save in the background, starts no thread any more (Python 3.12 and later). It does
            # not live long enough for its file to look abandoned.
            if "shutdown" not in str(error):
                raise
            self._thread = None

    def release(self, path: str, holder: int) -> None:
        """Removes the holder with this `id`, which no longer exists."""
        with self._lock:
            holders = self._holders.get(path, set())
            holders.discard(holder)
            ended = not holders and self._holders.pop(path, None) is not None
            if ended and not is_remote(path):
                disown(path)
            thread = None
            if not self._holders:
                thread, self._thread = self._thread, None
                self._wake.set()
        if ended and is_remote(path):
            self._leave_remote(path)
        if thread is not None and thread is not threading.current_thread():
            thread.join(1.0)

    def _leave_remote(self, path: str) -> None:
        """Gives up a remote directory, in a thread of its own.

        A collected holder calls this in the middle of anything, even in a request that somebody waits for with the lock.
        """

        def leave() -> None:
            with self._lock:
                if path in self._holders:
                    return
            disown(path)

        try:
            if threading.main_thread().is_alive():
                threading.Thread(target=leave, name="checkpoint owner leaves").start()  # the program's end waits for it
                return
        except RuntimeError:  # the interpreter starts no more threads
            pass
        leave()

    def _run(self, wake: threading.Event) -> None:
        while not wake.wait(TOUCH_EVERY):
            with self._lock:
                paths = list(self._holders)
            for path in paths:
                with contextlib.suppress(OSError):  # somebody deleted the directory; the next save creates it again
                    if _read(path) == me():
                        _touch(path)


_touching = _Touching()
