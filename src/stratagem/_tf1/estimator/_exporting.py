"""Exports an Estimator's model: a SavedModel in a directory that is named after the time."""

import contextlib
import logging
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from stratagem._base.paths import file_errors, is_remote, parent
from stratagem._base.storage import checked_path, copy_file, file_system
from stratagem._saved_models import save_models
from stratagem._tf1.estimator._mode_export import ModeExport

_log = logging.getLogger("stratagem.estimator")

_MOST_DIRECTORIES: Final = 3600  # in how many seconds after now there is a free name


def _write(modes: Sequence[ModeExport], directory: str, checkpoint: str) -> None:
    """Writes one SavedModel of all modes, with the values of a checkpoint. Raises as `ModeExport`."""
    first: dict[str, Any] = {}
    same = []
    for mode in modes:
        mode.build(checkpoint)
        same += [(first[name], v) for name, v in mode.variables.items() if name in first]
        first = mode.variables | first
    save_models([mode.to_save() for mode in modes], directory, same)


def new_directory(base: str) -> str:
    """Returns a directory in `base` that is not there yet, named after the time in seconds, and makes `base`."""
    files, now = file_system(base), int(time.time())
    taken: set[str] = set()
    with file_errors(base):
        files.make_directories(base)
        with contextlib.suppress(FileNotFoundError):  # an object store has no folder without a file
            taken |= files.entries(base).keys()
    names = (str(now + later) for later in range(_MOST_DIRECTORIES))
    name = next((n for n in names if not {n, f"temp-{n}"} & taken), None)
    if name is None:
        raise RuntimeError(
            f"{base} has an export for each of the next {_MOST_DIRECTORIES} seconds. Does another clock write there?"
        )
    return os.path.join(base, name)


def write_export(
    modes: Sequence[ModeExport], base: str, checkpoint: str, assets_extra: Mapping[str, Any] | None
) -> str:
    """Writes an export of some modes below `base`.

    Returns its directory, which appears, or is a SavedModel, when all of it is there.

    assets_extra: files to copy into `assets.extra`, by their names there. Raises ValueError for a name outside of that.
    """
    extra = {_inside(str(name)): checked_path(source) for name, source in (assets_extra or {}).items()}
    path, files = new_directory(base), file_system(base)
    # Object stores rename no folders. There the manifest, which is written last, makes it a SavedModel.
    unfinished = path if is_remote(base) else os.path.join(base, f"temp-{os.path.basename(path)}")
    try:
        for name, source in extra.items():
            target = os.path.join(unfinished, "assets.extra", name)
            with file_errors(source):
                files.make_directories(parent(target))
                copy_file(source, target)
        _write(modes, unfinished, checkpoint)
        if unfinished != path:
            os.rename(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            files.remove_tree(unfinished)
        raise
    _log.info("SavedModel written to: %s", path)
    return path


def _inside(name: str) -> str:
    if os.path.isabs(name) or ".." in Path(name).parts or not Path(name).parts:
        raise ValueError(f"assets_extra: {name!r} has to be a path inside of assets.extra, such as 'my_file.txt'.")
    return name
