"""Weights of one object at a path of their own, as `model.save_weights` writes them: by any process, at any time.

PREFIX.index, PREFIX.data-00000-of-00001     a checkpoint in TensorFlow's format
checkpoint                                    names it as the latest of its directory
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stratagem._base.locks import locked
from stratagem._base.paths import file_errors, is_remote, parent
from stratagem._base.storage import checked_path
from stratagem._base.types import PathLike
from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._checkpoints import _checkpoint_files as own
from stratagem._checkpoints._background import saves_of, wait_for_saves
from stratagem._checkpoints._checkpoint import Checkpoint
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._formats import is_tensorflow, is_there
from stratagem._checkpoints._index import record_checkpoint_state, single
from stratagem._checkpoints._latest_intact import is_good
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._options import CheckpointFormat, CheckpointOptions, call_back, checked
from stratagem._checkpoints._overwrite_guard import OverwriteGuard
from stratagem._checkpoints._owner import owning
from stratagem._checkpoints._saving import copies_of, settle
from stratagem._checkpoints._status import LoadStatus
from stratagem._checkpoints._tensorflow_writing import holds
from stratagem._checkpoints._together import job_here, make_directory
from stratagem._checkpoints._unfinished import remove_unfinished

# By object: it warns of values that are not finite when they change.
_guards: WeakIdentityMap[Any, OverwriteGuard] = WeakIdentityMap()


def write_weights(
    root: Any,
    path: str,
    format: CheckpointFormat = CheckpointFormat.TENSORFLOW,
    options: CheckpointOptions | None = None,
) -> None:
    """Writes all values below `root` to the checkpoint `path`, which becomes the latest one of its directory.

    Returns when the files are on disk; until then an earlier checkpoint of this path is whole. Workers of a job need not
    call it together: those that write the same values to the same path follow one another, and only the first one writes.
    options: as of `Checkpoint.save`, but for their format. Raises the same errors as `Checkpoint.save`.
    """
    options = checked(options)
    settle(root)
    contents = Checkpoint(root).snapshot(format, copies_of(root, options))
    with file_errors(path):
        make_directory(parent(path))
    guard = _guard_of(root)

    def write() -> None:
        _write(path, contents, guard)
        call_back(options, path)

    if options.enable_async:
        saves_of(root).begin(path, write, job_here())
    else:
        wait_for_saves()
        write()


def _write(path: str, contents: CheckpointContents, guard: OverwriteGuard) -> None:
    with _one_at_a_time(parent(path)):
        _write_as_owner(path, contents, guard)  # which it is not any more when the next one may come


def _write_as_owner(path: str, contents: CheckpointContents, guard: OverwriteGuard) -> None:
    directory, holder = parent(path), _Holder()
    name = os.path.basename(path)
    with owning(directory, holder, name) as unfinished:
        remove_unfinished(directory, [other for other in unfinished if other != name])
        if not _has(path, contents):
            guard.remember(path)  # whoever gives a path wants it replaced
            guard.write(path, contents)
        record_checkpoint_state(directory, single(path))


def read_weights(root: Any, path: str) -> LoadStatus:
    """Assigns the values that `write_weights` wrote; variables that are not built yet get theirs when they are built.

    Raises the same errors as `Checkpoint.restore`.
    """
    settle(root)
    return Checkpoint(root).read(path)


def has_weights(path: PathLike) -> bool:
    """Returns whether a checkpoint is at this path, in either format, be it damaged."""
    wait_for_saves()
    return is_there(checked_path(path))


def _has(path: str, contents: CheckpointContents) -> bool:
    """Returns whether an intact checkpoint of these contents, and in their format, is at this path."""
    if contents.naming is not OWN:
        return is_tensorflow(path) and holds(path, contents)
    return not is_tensorflow(path) and is_good(path) and own.holds(path, contents)


class _Holder:
    """Owns a directory for the duration of one save."""


def _guard_of(root: Any) -> OverwriteGuard:
    guard = _guards.get(root)
    if guard is None:
        guard = _guards[root] = OverwriteGuard()
    return guard


@contextlib.contextmanager
def _one_at_a_time(directory: str) -> Iterator[None]:
    """Lets the processes of this machine write to a directory of it one after another."""
    if is_remote(directory):
        yield  # there are no locks: the owner's file tells processes apart
        return
    lock = Path(directory) / ".saving.lock"
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a file system without locks: the owner's file still tells them apart
            stack.enter_context(locked(lock))
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
