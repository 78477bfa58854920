"""The text file `checkpoint` in a directory: which checkpoints there are and which is the latest.

It is TensorFlow's file with one comment line more, a checksum of the lines above it. A damaged one is rebuilt from the
checkpoints themselves.
"""

import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stratagem._errors import CheckpointError, DataLossError, NotFoundError
from stratagem.checkpoint._files import UnreadableError, checksum, is_temporary, read_text, write_text
from stratagem.checkpoint._manifest import load

_log = logging.getLogger(__name__)

_LIMIT = 1 << 26  # bytes
_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([-+.\deE]+))\s*')
_SEAL = re.compile(r"^# crc32c: ([0-9a-f]{8})\n\Z", re.MULTILINE)
_NUMBERED = re.compile(r".+-(\d{1,18})")


@dataclass(frozen=True, kw_only=True)
class CheckpointState:
    """The content of the file `checkpoint`, with TensorFlow's field names."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: tuple[str, ...]
    all_model_checkpoint_timestamps: tuple[float, ...] = ()
    last_preserved_timestamp: float = 0.0


def record_checkpoint_state(directory: str, state: CheckpointState, filename: str = "checkpoint") -> None:
    """Write the file `checkpoint` of a directory that this process owns, and remove what killed ones left of theirs.

    The directory can be moved, because paths in the file are relative.
    """
    here = os.path.abspath(directory)
    paths = [os.path.relpath(os.path.abspath(p), here) for p in state.all_model_checkpoint_paths]
    latest = os.path.relpath(os.path.abspath(state.model_checkpoint_path), here)
    lines = [f"model_checkpoint_path: {_quoted(latest)}"]
    lines += [f"all_model_checkpoint_paths: {_quoted(path)}" for path in paths]
    lines += [f"all_model_checkpoint_timestamps: {stamp!r}" for stamp in state.all_model_checkpoint_timestamps]
    if state.last_preserved_timestamp:
        lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    text = "\n".join(lines) + "\n"
    write_text(Path(directory) / filename, f"{text}# crc32c: {checksum(text)}\n")
    for entry in list(os.scandir(here)):
        if is_temporary(entry.name, filename):
            Path(entry.path).unlink(missing_ok=True)


def get_checkpoint_state(
    checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None
) -> CheckpointState | None:
    """What the file `checkpoint` in the directory says, with paths that can be opened; None without such a file.

    Where the file is damaged: what it would say, from the checkpoints in the directory, with a warning.
    """
    directory = os.fspath(checkpoint_dir)
    file = Path(directory) / (latest_filename or "checkpoint")
    try:
        return _parse(read_text(file, _LIMIT), directory)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (UnreadableError, ValueError) as error:
        rebuilt = _rebuilt(directory)
        count = 0 if rebuilt is None else len(rebuilt.all_model_checkpoint_paths)
        _log.warning("%s is damaged: %s. Looked at the directory instead: %d checkpoints.", file, str(error), count)
        return rebuilt


def single(path: str) -> CheckpointState:
    """The state of a directory in which only the last saved checkpoint is known."""
    return CheckpointState(model_checkpoint_path=path, all_model_checkpoint_paths=(path,))


def listed(state: CheckpointState, now: float) -> Sequence[tuple[str, float]]:
    """The listed paths with the times they were written; a time is never in the future."""
    stamps = state.all_model_checkpoint_timestamps or (state.last_preserved_timestamp,) * len(
        state.all_model_checkpoint_paths
    )
    return [(path, min(stamp, now)) for path, stamp in zip(state.all_model_checkpoint_paths, stamps, strict=True)]


def is_within(path: str, directory: str) -> bool:
    """True for a path below the directory: what a file names that anybody may have written."""
    return os.path.abspath(path).startswith(os.path.join(os.path.abspath(directory), ""))


def numbered(directory: str) -> list[str]:
    """Paths in the directory that are named like saved checkpoints, in the order of their numbers."""
    try:
        names = [entry.name for entry in os.scandir(directory) if entry.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    matches = filter(None, map(_NUMBERED.fullmatch, names))
    return [os.path.join(directory, m.string) for m in sorted(matches, key=lambda m: (int(m.group(1)), m.string))]


def _parse(text: str, directory: str) -> CheckpointState | None:
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
        return None
    paths = fields.get("all_model_checkpoint_paths", [])
    stamps = fields.get("all_model_checkpoint_timestamps", [])
    if stamps and len(stamps) != len(paths):
        raise ValueError(f"it has {len(paths)} checkpoints and {len(stamps)} times")
    return CheckpointState(
        model_checkpoint_path=os.path.join(directory, fields["model_checkpoint_path"][-1]),
        all_model_checkpoint_paths=tuple(os.path.join(directory, path) for path in paths),
        all_model_checkpoint_timestamps=tuple(map(float, stamps)),
        last_preserved_timestamp=float(fields.get("last_preserved_timestamp", ["0"])[-1]),
    )


def _rebuilt(directory: str) -> CheckpointState | None:
    found = []
    for path in numbered(directory):
        try:
            found.append((load(path).saved_at, path))
        except (NotFoundError, DataLossError, CheckpointError):
            continue  # whoever wants to restore one hears of it
    if not found:
        return None
    found.sort(key=lambda entry: entry[0])
    return CheckpointState(
        model_checkpoint_path=found[-1][1],
        all_model_checkpoint_paths=tuple(path for _, path in found),
        all_model_checkpoint_timestamps=tuple(stamp for stamp, _ in found),
    )


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
