"""Saves in the background: threads that write what was copied, in the order of the calls, and errors that are raised later.

Every save has a thread, which begins when the save before it has ended: none overtakes another. The threads are no daemons, so
Python ends after them. Nothing here holds a lock while it waits: a handler of SIGTERM, which may interrupt anything, waits
for the saves as well.
"""

import contextvars
import os
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any, final

from stratagem._base.errors import PeerFailedError
from stratagem._base.job import Job, Phase
from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._checkpoints._host_copies import HostCopies
from stratagem._checkpoints._program_end import ProgramEnd
from stratagem._core.context import entered


@final
class BackgroundSave:
    """One save. path: of the checkpoint. work: writes it."""

    def __init__(self, path: str, work: Callable[[], None]) -> None:
        self.path = path
        self._work: Callable[[], None] | None = work
        self._ended = threading.Event()

    @property
    def ended(self) -> bool:
        """True once the work is done, or has failed."""
        return self._ended.is_set()

    def start(self, previous: "BackgroundSave | None") -> None:
        """Starts the thread, which waits for the save before this one."""
        run = contextvars.copy_context().run
        thread = threading.Thread(target=run, args=(self._run, previous), name="stratagem save", daemon=False)
        try:
            thread.start()
        except RuntimeError:  # Python ends, and starts no more threads
            self._run(previous)

    def wait(self) -> None:
        """Waits until the save has ended."""
        self._ended.wait()

    def _run(self, previous: "BackgroundSave | None") -> None:
        if previous is not None:
            previous.wait()
            del previous
        work, self._work = self._work, None  # it holds a copy of all values
        assert work is not None
        _thread.saves = True
        try:
            with entered(recorder=None):
                work()
        except BaseException as error:  # of any kind: it is raised where somebody notices
            error.add_note(f"The checkpoint {self.path!r} was being saved in the background when this was raised.")
            traceback.clear_frames(error.__traceback__)  # they hold the copy, until somebody takes the error
            _process.failed[self] = error
        finally:
            _thread.saves = False
            del work
            self._ended.set()


class _SavingThread(threading.local):
    """A thread, as it knows itself. saves: whether it is one that saves, which must not wait for itself."""

    saves = False


_thread = _SavingThread()


class _Process:
    """The saves of this process. last: that of each member of a job. failed: those whose errors nobody was told of."""

    def __init__(self) -> None:
        self.last: weakref.WeakKeyDictionary[Job, BackgroundSave] = weakref.WeakKeyDictionary()
        self.failed: dict[BackgroundSave, BaseException] = {}
        self.beginning = threading.Lock()

    def forget(self) -> None:
        """Forgets all saves: in a forked child, which has no thread that does them."""
        self.last.clear()
        self.failed.clear()
        self.beginning = threading.Lock()  # another thread may have held it


_process = _Process()
os.register_at_fork(after_in_child=_process.forget)


@final
class BackgroundSaves:
    """The saves of one object in the background, of which there is one at a time.

    It also keeps the memory for copies of the object's values. A save that begins while another one has it, in another thread
    or in a handler of a signal, has memory of its own.
    """

    def __init__(self) -> None:
        self._last: BackgroundSave | None = None
        self._spare: list[HostCopies] = []  # none, or one that no save uses
        self._lent: dict[int, HostCopies] = {}  # by thread: for the save that it begins next

    def copies(self) -> HostCopies:
        """Returns memory for the copies that the save needs which this thread begins next."""
        try:
            found = self._spare.pop()
        except IndexError:
            found = HostCopies()
        self._lent[threading.get_ident()] = found
        return found

    @property
    def path(self) -> str | None:
        """The path of the save that has not ended; None without one."""
        save = self._last
        return None if save is None or save.ended else save.path

    def begin(self, path: str, work: Callable[[], None], job: Job) -> None:
        """Lets `work` write the checkpoint `path` after all saves that were begun before, without waiting for it.

        job: the member of a job that saves.
        """
        copies = self._lent.pop(threading.get_ident(), None)

        def work_with_copies() -> None:
            try:
                work()
            finally:
                if copies is not None and not self._spare:
                    self._spare.append(copies)

        _end.watch()
        save = BackgroundSave(path, work_with_copies)
        with _process.beginning:
            save.start(_process.last.get(job))
            _process.last[job] = save
        self._last = save

    def settle(self, job: Job) -> None:
        """Waits until the last save has ended. Raises what it raised, once; without a save, does nothing."""
        save = self._last
        if save is None or _thread.saves:
            return
        with job.phase(Phase.CHECKPOINT):
            save.wait()
        self._last = None
        if all(each.ended for each in _process.last.values()):
            _end.release()
        error = _process.failed.pop(save, None)
        if error is not None:
            raise error


# By object that is saved.
_of: WeakIdentityMap[Any, BackgroundSaves] = WeakIdentityMap()


def saves_of(owner: Any) -> BackgroundSaves:
    """The saves of an object in the background."""
    saves = _of.get(owner)
    if saves is None:
        saves = _of[owner] = BackgroundSaves()
    return saves


def wait_for_saves() -> None:
    """Waits until all saves that this process has begun have ended, so that what reads checkpoints now sees them."""
    if not _thread.saves:
        for save in [*_process.last.values()]:
            save.wait()


def _finish() -> list[BaseException]:
    """Waits for all saves; returns the errors that nobody was told of. That of another task is raised elsewhere, too."""
    wait_for_saves()
    errors = [*_process.failed.values()]
    _process.failed.clear()
    return [error for error in errors if not isinstance(error, PeerFailedError)]


_end = ProgramEnd(_finish)
