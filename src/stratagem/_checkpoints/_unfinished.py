"""What saves that were killed have left in a directory, which the next process that saves there removes.

A save has two ends: its checkpoint is complete once it has a manifest or a table, and the directory's list names it after that.
The owner's file says which checkpoint was being saved, so that one which is complete and in no list is told from those that
were never meant to be in it.
"""

import logging
import os
import re
from collections.abc import Iterable, Iterator

from stratagem._base.files import is_temporary
from stratagem._base.storage import FileSystem, file_system
from stratagem._checkpoints._formats import delete
from stratagem._checkpoints._manifest import GENERATION, NAME
from stratagem._checkpoints._other_formats import is_tensorflow_checkpoint
from stratagem._checkpoints.tensorflow import checkpoint_of_file

_log = logging.getLogger("stratagem.checkpoint")


def remove_unfinished(directory: str, saving: Iterable[str], numbered: str | None = None) -> list[str]:
    """Removes what the earlier owners of a directory have left unfinished, and returns the paths of what they completed.

    saving: the names of the checkpoints that they were saving. numbered: the part before the number of the names of a
    manager's checkpoints, all of which are looked at. Files of others stay. What cannot be removed is named in a warning.
    """
    complete = [os.path.join(directory, name) for name in saving if is_complete(os.path.join(directory, name))]
    try:
        names = {name for name in saving if os.path.join(directory, name) not in complete}
        if numbered is not None:
            names.update(_orphans(file_system(directory or "."), directory, numbered))
        for name in names:
            delete(os.path.join(directory, name))
    except OSError as error:
        _log.warning("What a killed save has left in %r could not be removed: %s", directory, error)
    return complete


def is_complete(path: str) -> bool:
    """Returns whether there is a whole checkpoint at the path, of either format."""
    return file_system(path).is_file(os.path.join(path, NAME)) or is_tensorflow_checkpoint(path)


def _orphans(files: FileSystem, directory: str, prefix: str) -> Iterator[str]:
    """Yields the names of this form for which there are files of ours, and neither a manifest nor a table.

    Removes the temporary files of tables and shards.
    """
    name_of = re.compile(rf"{re.escape(prefix)}-\d+")
    entries = files.entries(directory or ".")
    for entry, is_folder in entries.items():
        if is_folder and name_of.fullmatch(entry) and _is_ours(files.entries(os.path.join(directory, entry))):
            yield entry
        elif not is_folder and (name := checkpoint_of_file(entry)) is not None and name_of.fullmatch(name):
            if entry.startswith("."):
                files.remove(os.path.join(directory, entry))
            elif f"{name}.index" not in entries:
                yield name


def _is_ours(entries: dict[str, bool]) -> bool:
    """Returns whether a folder has nothing but parts of a checkpoint whose manifest is not there."""
    return all(
        GENERATION.fullmatch(entry) if is_folder else is_temporary(entry, NAME) for entry, is_folder in entries.items()
    )
