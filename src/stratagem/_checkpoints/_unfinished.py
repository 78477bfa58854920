"""Unfinished saves: the next process that saves in a directory removes the files that killed ones have left there.

The owner's file says which checkpoint a process was saving, and nothing else is looked at: another program may be writing files
that look the same. A save has two ends. Its checkpoint is complete once it has a manifest or a table, and the directory's list
names it after that.
"""

import logging
import os
import re
from collections.abc import Iterable

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.files import is_temporary
from stratagem._base.storage import file_system
from stratagem._checkpoints._arrays_file import NAME as ARRAYS
from stratagem._checkpoints._formats import delete, is_there
from stratagem._checkpoints._manifest import GENERATION, NAME, load

_log = logging.getLogger("stratagem.checkpoint")


def remove_unfinished(directory: str, names: Iterable[str]) -> list[str]:
    """Removes what was begun under these names in a directory, and returns the paths of those that are complete.

    Files of others stay. What cannot be removed is named in a warning.
    """
    complete = []
    for path in (os.path.join(directory, name) for name in names):
        try:
            if is_there(path):
                complete.append(path)
            elif _is_ours(path):
                delete(path)
        except OSError as error:
            _log.warning("What a killed save has left of %r could not be removed: %s", path, error)
    return complete


def names_of(prefix: str, names: Iterable[str]) -> list[str]:
    """Returns those of the names that are a prefix and a number, as a manager's and `Checkpoint.save`'s are."""
    return [name for name in names if re.fullmatch(rf"{re.escape(prefix)}-\d+", name)]


def completed_at(path: str) -> float:
    """Returns when a complete checkpoint was completed, in seconds since 1970; 0 for one that belongs in no list."""
    files = file_system(path)
    if files.is_file(os.path.join(path, NAME)) and not _is_listed(path):
        return 0.0
    found = files.status(os.path.join(path, NAME)) or files.status(f"{path}.index")
    return 0.0 if found is None else found.mtime_ns / 1e9


def _is_listed(path: str) -> bool:
    try:
        return load(path).listed
    except (NotFoundError, DataLossError, CheckpointError):
        return True  # it is damaged, and takes the place of one that is not


def _is_ours(path: str) -> bool:
    """Returns whether a folder at the path, if there is one, has nothing but parts of a checkpoint without its manifest."""
    if os.path.islink(path):
        return False
    files = file_system(path)
    if not files.is_directory(path):
        return not files.exists(path)  # in TensorFlow's format there is nothing of this name alone
    for entry, is_folder in files.entries(path).items():
        if not is_folder and is_temporary(entry, NAME):
            continue
        inner = files.entries(os.path.join(path, entry)) if is_folder and GENERATION.fullmatch(entry) else {entry: True}
        if any(is_folder_too or name != ARRAYS for name, is_folder_too in inner.items()):
            return False
    return True
