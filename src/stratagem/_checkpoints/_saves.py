"""Saves: the checkpoints that one object writes; it says what it replaces that is not its own."""

import contextlib
import logging
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import final

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.files import sync, sync_tree
from stratagem._checkpoints._finite import not_finite, shown
from stratagem._checkpoints._format import Contents, delete, write
from stratagem._checkpoints._latest import is_good
from stratagem._checkpoints._manifest import NAME, Manifest, load

_log = logging.getLogger("stratagem.checkpoint")

RESTORE_FIRST = (
    "If that was not meant: restore the latest checkpoint before the first save, so that its numbers go on, or save to another "
    "directory."
)


@final
class Saves:
    """What one object has written or restored, so that it may replace it without a word."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}  # path → generation
        self._said: set[str] = set()

    def know(self, path: str) -> None:
        """The object has the values of this complete checkpoint."""
        with contextlib.suppress(NotFoundError, DataLossError):  # another process has deleted it since
            self._known[os.path.abspath(path)] = load(path).generation

    def write(self, path: str, contents: Contents, *, listed: bool = True) -> None:
        """As `write` of `_format`. A finite checkpoint whose place one takes that is not is kept, at `<path>.finite`.

        Warns of a complete checkpoint of other values that the object did not know and that was replaced, and of arrays that
        are not finite, of each once.
        """
        before, bad = _whole(path), not_finite(contents.arrays)
        aside = _keep_aside(path, before) if bad and before is not None and not before.non_finite else None
        now = write(path, replace(contents, non_finite=bad), listed=listed)
        if before is not None and aside is None and self._loses(path, before, now):
            _log.warning(
                "Replaced the complete checkpoint %r of %s, which this program had neither written nor restored. %s",
                path, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(before.saved_at)), RESTORE_FIRST,
            )  # fmt: skip
        if aside is not None or not self._said.issuperset(bad):
            kept = "The last checkpoint of finite values stays" if aside is None else f"What was there is now {aside!r}"
            _log.warning("Saved values that are not finite (NaN or infinite): %s, in %r. %s.", shown(bad), path, kept)
        self._known[os.path.abspath(path)], self._said = now.generation, {*bad}

    def _loses(self, path: str, before: Manifest, now: Manifest) -> bool:
        """True if values are gone that somebody else has saved."""
        if self._known.get(os.path.abspath(path)) == before.generation:
            return False
        return any(now.arrays.get(key) != fact for key, fact in before.arrays.items())


def _whole(path: str) -> Manifest | None:
    """The checkpoint that is there now, if it is whole."""
    try:
        found = load(path)
    except (NotFoundError, DataLossError, CheckpointError):
        return None
    return found if is_good(path) else None


def _keep_aside(path: str, manifest: Manifest) -> str:
    """Give a whole checkpoint a second place, without copying its data where the file system has links; returns it."""
    aside = f"{path}.finite"
    delete(aside)
    os.makedirs(aside, exist_ok=True)
    shutil.copytree(Path(path) / manifest.generation, Path(aside) / manifest.generation, copy_function=_link)
    sync_tree(Path(aside))
    _link(os.path.join(path, NAME), os.path.join(aside, NAME))
    sync(Path(aside))
    return aside


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        sync(Path(target))
