"""OverwriteGuard: writes the checkpoints of one object, and warns when it replaces those of others."""

import contextlib
import logging
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import final

import numpy as np

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.files import sync, sync_tree
from stratagem._base.paths import absolute, is_remote, parent
from stratagem._base.storage import copy_file, file_system
from stratagem._checkpoints._checkpoint_files import AttachedFiles, delete, write
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._finite import not_finite, shown
from stratagem._checkpoints._formats import identity, is_tensorflow, non_finite_in
from stratagem._checkpoints._latest_intact import is_good
from stratagem._checkpoints._manifest import NAME, Manifest, load
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._tensorflow_writing import back_up, holds, write_tensorflow

_log = logging.getLogger("stratagem.checkpoint")

RESTORE_FIRST = (
    "If that was not meant: restore the latest checkpoint before the first save, so that its numbers go on, or save to another "
    "directory."
)


@final
class OverwriteGuard:
    """The checkpoints that one object has written or restored, which it may replace without a warning.

    An object that has restored a checkpoint goes on from there: it may replace what its directory has of the time after it.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}  # path → generation
        self._continued: set[str] = set()  # directories
        self._warned: set[str] = set()

    def remember(self, path: str) -> None:
        """Records that the object has the values of this complete checkpoint."""
        with contextlib.suppress(NotFoundError, DataLossError):  # another process has deleted it since
            self._known[absolute(path)] = identity(path)

    def restored(self, path: str) -> None:
        """Records that the object goes on from this checkpoint."""
        self.remember(path)
        self._continued.add(absolute(parent(path)))

    def write(
        self, path: str, contents: CheckpointContents, *, listed: bool = True, attached: AttachedFiles | None = None
    ) -> None:
        """Writes a checkpoint like `_checkpoint_files.write`. One that a non-finite one replaces stays at `<path>.finite`.

        Warns once about a replaced complete checkpoint that the object did not know, if its values differ, and about
        arrays that are not finite.
        """
        if contents.naming is not OWN:
            self._write_tensorflow(path, contents)
            return
        before, bad = _intact(path), _not_finite(contents)
        backup = _back_up(path, before) if bad and before is not None and not before.non_finite else None
        now = write(path, replace(contents, non_finite=bad), listed=listed, attached=attached)
        if before is not None and backup is None and self._loses(path, before, now):
            _log.warning(
                "Replaced the complete checkpoint %r of %s, which this program had neither written nor restored. %s",
                path, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(before.saved_at)), RESTORE_FIRST,
            )  # fmt: skip
        self._note(path, now.generation, bad, backup)

    def _write_tensorflow(self, path: str, contents: CheckpointContents) -> None:
        """Does the same in TensorFlow's format. One of ours at the same path, which would be read instead, goes."""
        bad, there = _not_finite(contents), is_good(path) and is_tensorflow(path)
        backup = f"{path}.finite" if bad and there and not non_finite_in(path) else None
        if backup is not None:
            back_up(path, backup)
        before = identity(path) if there else None
        known = before in (None, self._known.get(absolute(path))) or self._continues(path)
        loses = not known and not holds(path, contents)
        write_tensorflow(path, contents)
        if file_system(path).is_directory(path):
            delete(path)
        if loses and backup is None:
            _log.warning(
                "Replaced the complete checkpoint %r, which this program had neither written nor restored. %s",
                path, RESTORE_FIRST,
            )  # fmt: skip
        self._note(path, identity(path), bad, backup)

    def _note(self, path: str, now: str, bad: list[str], backup: str | None) -> None:
        if backup is not None or not self._warned.issuperset(bad):
            kept = (
                "The last checkpoint of finite values stays" if backup is None else f"What was there is now {backup!r}"
            )
            _log.warning("Saved values that are not finite (NaN or infinite): %s, in %r. %s.", shown(bad), path, kept)
        self._known[absolute(path)], self._warned = now, {*bad}

    def _continues(self, path: str) -> bool:
        return absolute(parent(path)) in self._continued

    def _loses(self, path: str, before: Manifest, now: Manifest) -> bool:
        """Returns whether values that somebody else has saved are lost."""
        if self._known.get(absolute(path)) == before.generation or self._continues(path):
            return False
        return any(now.arrays.get(key) != fact for key, fact in before.arrays.items())


def _not_finite(contents: CheckpointContents) -> list[str]:
    return not_finite({name: np.asarray(array) for name, array in contents.arrays.items()})


def _intact(path: str) -> Manifest | None:
    """The manifest of the checkpoint that exists now, if it is intact."""
    try:
        found = load(path)
    except (NotFoundError, DataLossError, CheckpointError):
        return None
    return found if is_good(path) else None


def _back_up(path: str, manifest: Manifest) -> str:
    """Keeps an intact checkpoint in a second place, by hard links if the file system has them; returns that path."""
    backup = f"{path}.finite"
    delete(backup)
    if is_remote(path):
        files = [os.path.join(manifest.generation, name) for name in manifest.files]
        for name in (*files, NAME):  # the manifest last
            copy_file(os.path.join(path, name), os.path.join(backup, name))
        return backup
    os.makedirs(backup, exist_ok=True)
    shutil.copytree(Path(path) / manifest.generation, Path(backup) / manifest.generation, copy_function=_link)
    sync_tree(Path(backup))
    _link(os.path.join(path, NAME), os.path.join(backup, NAME))
    sync(Path(backup))
    return backup


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        sync(Path(target))
