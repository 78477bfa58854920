"""The text file `checkpoint` in a directory, which lists its checkpoints and names the latest.

It is TensorFlow's file with one more comment line, a checksum of the lines above it. A damaged or missing file is rebuilt
from the checkpoints themselves.
"""

import logging
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.exports import exported
from stratagem._base.files import remove_temporaries
from stratagem._base.paths import absolute, is_remote, relative
from stratagem._base.storage import checked_path, file_system
from stratagem._checkpoints._manifest import Manifest, load
from stratagem._checkpoints._owner import me, owner_of
from stratagem._checkpoints._safe_reads import UnreadableFileError, checksum, read_text

_log = logging.getLogger("stratagem.checkpoint")

NAME = "checkpoint"

_LIMIT = 1 << 26  # bytes
_LIST_DELAY = 0.5  # seconds within which the list is written after its checkpoint
_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([-+.\deE]+))\s*')
_SEAL = re.compile(r"^# crc32c: ([0-9a-f]{8})\n\Z", re.MULTILINE)
_NUMBERED = re.compile(r".+-(\d{1,18})")
_LONGEST_PATH, _LONGEST_NAME = 4000, 255  # bytes
_warned: set[tuple[str, ...]] = set()  # warnings given so far: an evaluator asks every second


@dataclass(frozen=True, kw_only=True)
class CheckpointState:
    """The content of the file `checkpoint`, with TensorFlow's field names."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: tuple[str, ...]
    all_model_checkpoint_timestamps: tuple[float, ...] = ()
    last_preserved_timestamp: float = 0.0


def record_checkpoint_state(directory: str, state: CheckpointState, filename: str = NAME) -> None:
    """Writes the file `checkpoint` of a directory that this process owns, and removes leftovers of killed writers.

    The directory can be moved, because paths in the file are relative.
    """
    whole = absolute(directory)
    paths = [relative(absolute(p), whole) for p in state.all_model_checkpoint_paths]
    latest = relative(absolute(state.model_checkpoint_path), whole)
    lines = [f"model_checkpoint_path: {_quoted(latest)}"]
    lines += [f"all_model_checkpoint_paths: {_quoted(path)}" for path in paths]
    lines += [f"all_model_checkpoint_timestamps: {stamp!r}" for stamp in state.all_model_checkpoint_timestamps]
    if state.last_preserved_timestamp:
        lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    text = "\n".join(lines) + "\n"
    file, text = os.path.join(whole, filename), f"{text}# crc32c: {checksum(text)}\n"
    file_system(file).write(file, text.encode())
    if not is_remote(file):
        remove_temporaries(Path(file))


@exported("train.get_checkpoint_state")
def get_checkpoint_state(
    checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None
) -> CheckpointState | None:
    """The content of the file `checkpoint` in the directory, with paths that can be opened; None if there are no checkpoints.

    If the file is damaged, or missing beside complete checkpoints, its content is rebuilt from these, with a warning.
    Checkpoints made by `Checkpoint.write` are not listed. Returns None if a file of another name than `checkpoint` is missing.
    """
    directory = checked_path(checkpoint_dir)
    file = os.path.join(directory, latest_filename or NAME)
    try:
        return _parse(read_text(file, _LIMIT), directory)
    except NotADirectoryError:
        return None
    except FileNotFoundError:
        if os.path.basename(file) != NAME:
            return None  # the checkpoints here may be listed in another file
        problem = f"{file} is missing"
    except (UnreadableFileError, ValueError) as error:
        problem = f"{file} is damaged: {error}"
    rebuilt = _rebuilt(directory)
    if rebuilt is not None and not file_system(file).is_taken(file) and owner_of(directory) not in (None, me()):
        time.sleep(_LIST_DELAY)
        if file_system(file).is_taken(file):
            return get_checkpoint_state(directory, latest_filename)
    _warn(problem, rebuilt)
    return rebuilt


def single(path: str) -> CheckpointState:
    """The state of a directory in which only the last saved checkpoint is known."""
    return CheckpointState(model_checkpoint_path=path, all_model_checkpoint_paths=(path,))


def listed(state: CheckpointState, now: float) -> Sequence[tuple[str, float]]:
    """The listed paths with the times when they were written; a time is never in the future."""
    stamps = state.all_model_checkpoint_timestamps or (state.last_preserved_timestamp,) * len(
        state.all_model_checkpoint_paths
    )
    return [(path, min(stamp, now)) for path, stamp in zip(state.all_model_checkpoint_paths, stamps, strict=True)]


def is_within(path: str, directory: str) -> bool:
    """Returns whether a path lies below the directory; paths in files are not trusted, since anybody may have written them."""
    return absolute(path).startswith(os.path.join(absolute(directory), ""))


def numbered(directory: str) -> list[str]:
    """Paths in the directory that are named like saved checkpoints, ordered by number."""
    try:
        names = [
            name for name, is_folder in file_system(directory or ".").entries(directory or ".").items() if is_folder
        ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    matches = filter(None, map(_NUMBERED.fullmatch, names))
    return [os.path.join(directory, m.string) for m in sorted(matches, key=lambda m: (int(m.group(1)), m.string))]


def _parse(text: str, directory: str) -> CheckpointState:
    sealed = _SEAL.search(text)
    if sealed is not None and checksum(text[: sealed.start()]) != sealed.group(1):
        raise ValueError("its checksum is not the one that was saved")
    fields: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        match = _LINE.fullmatch(line)
        if match is not None:
            name, quoted, number = match.groups()
            fields.setdefault(name, []).append(number if quoted is None else _unquoted(quoted))
        elif not line.startswith("#"):
            raise ValueError(f"it has a line {line[:100]!r}")
    if "model_checkpoint_path" not in fields:
        raise ValueError("it names no checkpoint")
    paths = fields.get("all_model_checkpoint_paths", [])
    stamps = fields.get("all_model_checkpoint_timestamps", [])
    if stamps and len(stamps) != len(paths):
        raise ValueError(f"it has {len(paths)} checkpoints and {len(stamps)} times")
    return CheckpointState(
        model_checkpoint_path=_joined(directory, fields["model_checkpoint_path"][-1]),
        all_model_checkpoint_paths=tuple(_joined(directory, path) for path in paths),
        all_model_checkpoint_timestamps=tuple(map(float, stamps)),
        last_preserved_timestamp=float(fields.get("last_preserved_timestamp", ["0"])[-1]),
    )


def _joined(directory: str, path: str) -> str:
    """A listed path, below the directory unless it is absolute. Raises ValueError for one that no file can have."""
    whole = is_remote(directory) and is_remote(path) and is_within(path, directory)  # as TensorFlow's Saver lists it
    joined = path if whole else os.path.join(directory, path)
    encoded = os.fsencode(joined)
    too_long = len(encoded) > _LONGEST_PATH or any(len(name) > _LONGEST_NAME for name in encoded.split(b"/"))
    if too_long or b"\0" in encoded:
        raise ValueError(f"it names {path[:100]!r}, and no file can have that name")
    return joined


def saved_in(directory: str) -> dict[str, Manifest]:
    """The manifests of the directory's checkpoints that belong in its list, by path, oldest first; other files are not read."""
    found = {}
    for path in numbered(directory):
        try:
            found[path] = load(path)
        except (NotFoundError, DataLossError, CheckpointError):
            continue  # an attempt to restore it raises
    return {
        path: found[path]
        for path in sorted(
            found, key=lambda path: found[path].saved_at
        )  # if times are equal, the larger number is newer
        if found[path].listed
    }


def number_of(path: str) -> int | None:
    """The number at the end of a saved checkpoint's name, or None."""
    match = _NUMBERED.fullmatch(os.path.basename(path))
    return None if match is None else int(match.group(1))


def _rebuilt(directory: str) -> CheckpointState | None:
    found = saved_in(directory)
    if not found:
        return None
    return CheckpointState(
        model_checkpoint_path=[*found][-1],
        all_model_checkpoint_paths=tuple(found),
        all_model_checkpoint_timestamps=tuple(manifest.saved_at for manifest in found.values()),
    )


def _warn(problem: str, rebuilt: CheckpointState | None) -> None:
    paths = () if rebuilt is None else rebuilt.all_model_checkpoint_paths
    if (problem, *paths) in _warned or (rebuilt is None and problem.endswith("is missing")):
        return
    _warned.add((problem, *paths))
    found = "no complete checkpoint"
    if rebuilt is not None:
        newest = os.path.basename(rebuilt.model_checkpoint_path)
        found = f"{len(paths)} complete checkpoints, the newest {newest}. To start anew, delete these or use another directory"
    _log.warning("%s. Looked at the directory instead: %s.", problem, found)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
