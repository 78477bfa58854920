"""Checkpoints with attached files: values, and beside them what computes with them, as in a SavedModel."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from stratagem._base.errors import NotFoundError
from stratagem._base.paths import is_remote, parent
from stratagem._checkpoints._checkpoint import Checkpoint, unlisted
from stratagem._checkpoints._checkpoint_files import AttachedFiles, attached_file, read, verify_sizes
from stratagem._checkpoints._children import is_variable, value_of
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._graph import survey
from stratagem._checkpoints._manifest import Manifest, load
from stratagem._checkpoints._overwrite_guard import OverwriteGuard
from stratagem._checkpoints._remote_files import FetchedCheckpoint
from stratagem._checkpoints._together import save_together


@final
class ArrayKeys:
    """The keys of variables' arrays in a checkpoint of an object.

    Variables that are not below the object get keys, too, when they are asked for.
    """

    def __init__(self, root: Any) -> None:
        self._keys = {id(n.value): n.path for n in survey(Checkpoint(root)) if is_variable(n.value)}
        self._others: dict[str, Any] = {}

    def __getitem__(self, variable: Any) -> str:
        if id(variable) not in self._keys:
            key = f"captured/{len(self._others)}"
            self._keys[id(variable)], self._others[key] = key, variable
        return self._keys[id(variable)]

    def others(self) -> dict[str, np.ndarray]:
        """The values of the variables that are not below the object, by key."""
        return {key: value_of(variable) for key, variable in self._others.items()}


def write_attached(root: Any, path: str, files: Callable[[ArrayKeys], AttachedFiles]) -> None:
    """Writes a checkpoint of an object to `path`, with attached files, in place of what is there.

    Returns when it is on disk; until then, an earlier one is whole. All processes of a job have to call it; those that name
    the same directory write it once. files: is called once, with the keys of all variables.
    Raises the same errors as `Checkpoint.write`.
    """
    contents, attached = _contents(root, files)
    guard = OverwriteGuard()
    guard.remember(path)  # whoever gives a path wants it replaced
    save_together(parent(path), path, unlisted(path, contents, guard, attached))


def attached_in_memory(
    root: Any, files: Callable[[ArrayKeys], AttachedFiles]
) -> tuple[dict[str, np.ndarray], AttachedFiles]:
    """Returns what `write_attached` would write: the arrays by key, and the attached files. The arguments are those of it."""
    contents, attached = _contents(root, files)
    return {key: np.asarray(value) for key, value in contents.arrays.items()}, attached


def _contents(root: Any, files: Callable[[ArrayKeys], AttachedFiles]) -> tuple[CheckpointContents, AttachedFiles]:
    keys = ArrayKeys(root)
    attached = files(keys)
    contents = Checkpoint(root).snapshot()
    contents.arrays.update(keys.others())
    return contents, attached


def has_attached(path: str, name: str) -> bool:
    """Returns whether a checkpoint with an attached file of this name is at `path`.

    Raises DataLossError for a damaged manifest, CheckpointError for one of a later version.
    """
    try:
        return name in load(path).files
    except NotFoundError:
        return False


@final
@dataclass(frozen=True)
class AttachedCheckpoint:
    """A checkpoint with attached files, all of whose bytes have been compared with their checksums. arrays: by key.

    copy: that of a remote one, in which its files are.
    """

    path: str
    manifest: Manifest
    arrays: dict[str, np.ndarray]
    copy: FetchedCheckpoint | None = None

    @classmethod
    def read(cls, path: str) -> "AttachedCheckpoint":
        """Reads the checkpoint at `path`. Raises the same errors as `Checkpoint.restore`."""
        copy, source = None, path
        if is_remote(path):
            copy = FetchedCheckpoint(path, verify_sizes(path))
            source = copy.path
        arrays = {key: np.asarray(value) for key, value in read(source).arrays.items()}
        return cls(path, load(source), arrays, copy)

    def file(self, name: str) -> Path:
        """The path of an attached file. Raises DataLossError if there is none of this name."""
        return attached_file(self.path if self.copy is None else self.copy.path, self.manifest, name)
