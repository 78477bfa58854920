"""Locations: what is at a path that somebody names on a command line, and the checkpoint that is meant."""

import enum
import os
import re
from dataclasses import dataclass
from typing import final

from stratagem._base.errors import CheckpointError, DataLossError, InvalidArgumentError, NotFoundError
from stratagem._base.paths import absolute
from stratagem._base.storage import UNANSWERED, checked_path, file_system
from stratagem._base.types import PathLike
from stratagem._checkpoints._formats import is_tensorflow
from stratagem._checkpoints._index import get_checkpoint_state, numbered
from stratagem._checkpoints._latest_intact import latest_checkpoint
from stratagem._checkpoints._manifest import GENERATION, NAME, load
from stratagem._checkpoints._other_formats import is_tensorflow_checkpoint

SAVED_MODEL = "saved_model.json"  # the attached file that makes a checkpoint a SavedModel

_GRAPHS = ("saved_model.pb", "saved_model.pbtxt")  # of a SavedModel that TensorFlow wrote
_VARIABLES = os.path.join("variables", "variables")
_PART = re.compile(r"\.(index|data-\d{5}-of-\d{5})\Z")
_KERAS = (".keras", ".h5", ".hdf5")


@final
class Kind(enum.Enum):
    """The kinds of stored values."""

    OWN = "stratagem"
    OWN_MODEL = "stratagem SavedModel"
    TENSORFLOW = "tensorflow"
    TENSORFLOW_MODEL = "tensorflow SavedModel"

    @property
    def is_tensorflow(self) -> bool:
        """True where the values are in TensorFlow's files."""
        return self in (Kind.TENSORFLOW, Kind.TENSORFLOW_MODEL)


@final
@dataclass(frozen=True)
class Location:
    """Stored values. path: as it was named. values: the checkpoint that has the values."""

    path: str
    values: str
    kind: Kind


def location_at(path: str) -> Location | None:
    """The checkpoint or SavedModel at exactly this path; None if there is none. It may be damaged.

    path: a directory, a prefix of files, or one of the files that a prefix has.
    """
    files = file_system(path)
    bare = path if files.is_directory(path) else _PART.sub("", path)
    if files.is_file(os.path.join(bare, NAME)):
        return Location(path, bare, Kind.OWN_MODEL if _is_model(bare) else Kind.OWN)
    if is_tensorflow(bare):
        return Location(path, bare, Kind.TENSORFLOW)
    if any(files.is_file(os.path.join(bare, name)) for name in _GRAPHS):
        return Location(path, os.path.join(bare, _VARIABLES), Kind.TENSORFLOW_MODEL)
    return Location(path, bare, Kind.OWN) if _is_unfinished(bare) else None


def location_of(path: PathLike) -> Location:
    """The checkpoint or SavedModel that `path` names: the one there, or the newest intact one of a directory.

    Raises NotFoundError when there is none, InvalidArgumentError for a file of Keras' formats.
    """
    path = checked_path(path)
    found = location_at(path)
    is_directory = found is None and file_system(path).is_directory(path)
    if is_directory:
        newest = latest_checkpoint(path)
        found = None if newest is None else location_at(newest)
    if found is not None:
        return found
    others = [] if is_directory and locations_in(path) else keras_files(path)
    if others:
        raise InvalidArgumentError(
            f"No checkpoint at {path!r}, but of Keras' format: {', '.join(map(os.path.basename, others))}. "
            "tf.keras.models.load_model or load_weights reads that; save_weights('name') then writes a checkpoint."
        )
    if is_directory and (below := folders_below(path)):
        raise NotFoundError(f"No checkpoints in {path!r}, but in {', '.join(below)}: name one of these.")
    if is_directory:
        raise NotFoundError(f"No intact checkpoint in {path!r}. `stratagem checkpoint ls` shows what is there.")
    raise NotFoundError(
        f"No checkpoint at {path!r}. Name a directory, a checkpoint (.../ckpt-1, without .index), or a SavedModel's directory."
    )


def locations_in(directory: str) -> list[Location]:
    """Everything in a directory that is a checkpoint or a SavedModel, or is named or listed like one; numbered ones first."""
    paths = {absolute(path): path for path in numbered(directory)}
    for name, is_directory in sorted(file_system(directory).entries(directory).items()):
        path = os.path.join(directory, name)
        bare = _PART.sub("", path)
        found = bare if name.endswith(".index") and is_tensorflow_checkpoint(bare) else path
        if (is_directory or found != path) and location_at(found) is not None:
            paths.setdefault(absolute(found), found)
    state = get_checkpoint_state(directory)
    for path in () if state is None else (*state.all_model_checkpoint_paths, state.model_checkpoint_path):
        paths.setdefault(absolute(path), path)
    found_all = [location_at(path) or Location(path, path, Kind.OWN) for path in paths.values()]
    return sorted(found_all, key=lambda each: (step_of(each.path) is None, step_of(each.path) or 0, each.path))


def folders_below(directory: str) -> list[str]:
    """The folders in a directory that have checkpoints or SavedModels in them; none if it has some itself."""
    files = file_system(directory)
    if not files.is_directory(directory) or locations_in(directory):
        return []
    folders = [os.path.join(directory, name) for name, is_directory in files.entries(directory).items() if is_directory]
    return [folder for folder in sorted(folders) if locations_in(folder)]


def keras_files(path: str) -> list[str]:
    """The file of Keras' formats at a path, or those in that directory. They are no checkpoints: Keras reads them."""
    files = file_system(path)
    if not files.is_directory(path):
        return [path] if path.endswith(_KERAS) and files.is_file(path) else []
    names = [name for name, is_directory in files.entries(path).items() if name.endswith(_KERAS) and not is_directory]
    return [os.path.join(path, name) for name in sorted(names)]


def step_of(path: str) -> int | None:
    """The number at the end of a checkpoint's name, or a name that is one; None without."""
    match = re.fullmatch(r"(?:.*[-_.])?(\d{1,18})", os.path.basename(path))
    return None if match is None else int(match[1])


def in_order(name: str) -> list[tuple[int, str]]:
    """A key by which names sort as people would: numbers in them by their size."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d{1,18})", name)]


def _is_unfinished(path: str) -> bool:
    """Returns whether a directory has the data of a checkpoint, which a manifest would make one."""
    try:
        entries = file_system(path).entries(path).items()
        return any(is_directory and GENERATION.fullmatch(name) is not None for name, is_directory in entries)
    except UNANSWERED:
        raise  # there may be some
    except OSError:
        return False


def _is_model(path: str) -> bool:
    try:
        return SAVED_MODEL in load(path).files
    except (NotFoundError, DataLossError, CheckpointError):
        return False
