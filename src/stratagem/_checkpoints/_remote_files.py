"""Checkpoints on remote file systems: written here and uploaded, the manifest last; fetched and verified to be read."""

import contextlib
import logging
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import final

from stratagem._base.errors import CheckpointError, NotFoundError
from stratagem._base.storage import file_system, upload
from stratagem._checkpoints._manifest import GENERATION, NAME, Manifest, encode, load, name_unsaved
from stratagem._checkpoints._verification import check_file

_log = logging.getLogger("stratagem.checkpoint")


def write_remote(path: str, write: Callable[[str], Manifest]) -> Manifest:
    """Has `write` make a checkpoint here, and uploads it: files under names that no other save has, then the manifest.

    An earlier checkpoint at `path` is whole until the one request that replaces its manifest, and its files go after that.
    Raises OSError when a file cannot be written; the earlier one is then still there.
    """
    with tempfile.TemporaryDirectory(prefix="stratagem-upload-") as folder:
        copy = os.path.join(folder, "checkpoint")
        manifest = write(copy)
        try:
            upload(copy, path, last=NAME)
        except BaseException as error:
            _remove_unfinished(path, manifest.generation)
            if isinstance(error, OSError):
                name_unsaved(error, path)
            raise
    try:
        _remove_leftovers(path, manifest.generation)
    except OSError as error:
        _log.warning("Saved %r, and left an earlier save's files there, which the next save removes: %s", path, error)
    return manifest


def fetch(path: str, manifest: Manifest, directory: Path) -> None:
    """Copies the checkpoint at `path` into an empty directory of this machine, each file after comparing its checksum.

    Only what the manifest names is copied. Raises DataLossError for a file that is missing or has changed.
    """
    for name, fact in manifest.files.items():
        copy = directory / manifest.generation / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        check_file(path, manifest, name, fact, copy)
    (directory / NAME).write_text(encode(manifest), encoding="utf-8")


@final
class FetchedCheckpoint:
    """A verified copy of a remote checkpoint on this machine, which is removed with this object. Raises as `fetch`."""

    def __init__(self, path: str, manifest: Manifest) -> None:
        self.path = tempfile.mkdtemp(prefix="stratagem-copy-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        fetch(path, manifest, Path(self.path))


def delete_remote(path: str) -> None:
    """Removes the checkpoint at `path`, if there is one, and no other files; first its manifest, without which it is none."""
    files = file_system(path)
    with contextlib.suppress(FileNotFoundError):
        files.remove(os.path.join(path, NAME))
    _remove_leftovers(path, "")
    files.remove_if_empty(path)


def _remove_leftovers(path: str, generation: str) -> None:
    """Removes leftovers of replaced checkpoints and interrupted saves: all of our files except this generation."""
    files = file_system(path)
    try:
        entries = files.entries(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name, is_folder in entries.items():
        if is_folder and GENERATION.fullmatch(name) and name != generation:
            files.remove_tree(os.path.join(path, name))


def _remove_unfinished(path: str, generation: str) -> None:
    """Removes what an upload that has failed has left, unless its manifest may have come through all the same."""
    try:
        there = load(path).generation
    except NotFoundError:
        there = ""
    except (OSError, CheckpointError):
        return  # the next save removes it
    if there != generation:
        with contextlib.suppress(OSError):
            file_system(path).remove_tree(os.path.join(path, generation))
