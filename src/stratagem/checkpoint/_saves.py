"""Saves: the checkpoints that one object writes; it says what it replaces that is not its own."""

import contextlib
import logging
import os
import time
from typing import final

from stratagem._errors import CheckpointError, DataLossError, NotFoundError
from stratagem.checkpoint._format import Contents, write
from stratagem.checkpoint._latest import is_good
from stratagem.checkpoint._manifest import Manifest, load

_log = logging.getLogger(__name__)

RESTORE_FIRST = (
    "If that was not meant: restore the latest checkpoint before the first save, so that its numbers go on, or save to another "
    "directory."
)


@final
class Saves:
    """What one object has written or restored, so that it may replace it without a word."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}  # path → generation

    def know(self, path: str) -> None:
        """The object has the values of this complete checkpoint."""
        with contextlib.suppress(NotFoundError, DataLossError):  # another process has deleted it since
            self._known[os.path.abspath(path)] = load(path).generation

    def write(self, path: str, contents: Contents, *, listed: bool = True) -> None:
        """As `write` of `_format`; warns if it replaced a complete checkpoint of other values that the object did not know."""
        before = self._strange(path)
        now = write(path, contents, listed=listed)
        self._known[os.path.abspath(path)] = now.generation
        if before is not None and any(now.arrays.get(key) != fact for key, fact in before.arrays.items()):
            _log.warning(
                "Replaced the complete checkpoint %r of %s, which this program had neither written nor restored. %s",
                path, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(before.saved_at)), RESTORE_FIRST,
            )  # fmt: skip

    def _strange(self, path: str) -> Manifest | None:
        """The checkpoint that is there now, if it is whole and not known."""
        try:
            found = load(path)
        except (NotFoundError, DataLossError, CheckpointError):
            return None
        known = self._known.get(os.path.abspath(path)) == found.generation
        return None if known or not is_good(path) else found
