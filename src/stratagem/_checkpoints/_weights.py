"""Weights of one object at a path of their own, as `model.save_weights` writes them: by any process, at any time.

PREFIX/          a checkpoint, as `Checkpoint(root).write` makes it
PREFIX.index     one line that says so. TensorFlow's checkpoints have a file of this name, for which programs look.
checkpoint       names it as the latest of its directory
"""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stratagem._base.errors import UnimplementedError
from stratagem._base.files import make_directories, write_text
from stratagem._base.locks import locked
from stratagem._base.paths import file_errors
from stratagem._base.types import PathLike, Trackable
from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._checkpoints._checkpoint import Checkpoint
from stratagem._checkpoints._checkpoint_files import holds
from stratagem._checkpoints._index import record_checkpoint_state, single
from stratagem._checkpoints._latest_intact import is_good
from stratagem._checkpoints._manifest import NAME
from stratagem._checkpoints._other_formats import INDEX_TEXT, tensorflow_checkpoint
from stratagem._checkpoints._overwrite_guard import OverwriteGuard
from stratagem._checkpoints._owner import owning
from stratagem._checkpoints._status import LoadStatus

_log = logging.getLogger("stratagem.checkpoint")

# By object: it warns of values that are not finite when they change.
_guards: WeakIdentityMap[Any, OverwriteGuard] = WeakIdentityMap()


def write_weights(root: Trackable, path: str) -> None:
    """Writes all values below `root` to the checkpoint `path`, which becomes the latest one of its directory.

    Returns when the files are on disk; until then an earlier checkpoint of this path is whole. Workers of a job need not
    call it together: those that write the same values to the same path follow one another, and only the first one writes.
    Raises the same errors as `Checkpoint.save`.
    """
    contents = Checkpoint(root).snapshot()
    directory = os.path.dirname(path)
    with file_errors(path):
        make_directories(Path(directory))
    holder = _Holder()
    with _one_at_a_time(Path(directory)), owning(directory, holder):
        if not (is_good(path) and holds(path, contents)):
            guard = _guard_of(root)
            guard.remember(path)  # whoever gives a path wants it replaced
            guard.write(path, contents)
        record_checkpoint_state(directory, single(path))
        _leave_index(path)


def read_weights(root: Trackable, path: str) -> LoadStatus:
    """Assigns the values that `write_weights` wrote; variables that are not built yet get theirs when they are built.

    Raises the same errors as `Checkpoint.restore`, UnimplementedError for a checkpoint that TensorFlow wrote.
    """
    if not has_weights(path) and tensorflow_checkpoint(path):
        raise UnimplementedError(f"{tensorflow_checkpoint(path)} Nothing was restored.")
    return Checkpoint(root).read(path)


def has_weights(path: PathLike) -> bool:
    """Returns whether a checkpoint of this library is at this path, be it damaged."""
    return os.path.isfile(os.path.join(path, NAME))


class _Holder:
    """Owns a directory for the duration of one save."""


def _guard_of(root: Any) -> OverwriteGuard:
    guard = _guards.get(root)
    if guard is None:
        guard = _guards[root] = OverwriteGuard()
    return guard


@contextlib.contextmanager
def _one_at_a_time(directory: Path) -> Iterator[None]:
    """Lets the processes of this machine write to a directory one after another."""
    lock = directory / ".saving.lock"
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a file system without locks: the owner's file still tells them apart
            stack.enter_context(locked(lock))
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _leave_index(path: str) -> None:
    """Writes the file for which programs look before they call `load_weights`. TensorFlow's own is left alone."""
    index = Path(f"{path}.index")
    if tensorflow_checkpoint(path):
        _log.warning(
            "Saved weights to %r, beside those that TensorFlow wrote (%s): load_weights reads the new ones.",
            path,
            index.name,
        )
    elif not index.exists():
        write_text(index, INDEX_TEXT)
