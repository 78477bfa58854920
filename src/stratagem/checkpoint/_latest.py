"""The text file `checkpoint` in a directory: which checkpoints there are and which is the latest."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stratagem.checkpoint._format import is_complete, read_text, write_text

_log = logging.getLogger(__name__)

_LINE = re.compile(r'^\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([-+.\deE]+))\s*$')


@dataclass(frozen=True, kw_only=True)
class CheckpointState:
    """The content of the file `checkpoint`, with TensorFlow's field names."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: tuple[str, ...]
    all_model_checkpoint_timestamps: tuple[float, ...] = ()
    last_preserved_timestamp: float = 0.0


def record_checkpoint_state(directory: str, state: CheckpointState, filename: str = "checkpoint") -> None:
    """Write the file `checkpoint`; the directory can be moved, because paths in it are relative."""
    here = os.path.abspath(directory)
    paths = [os.path.relpath(os.path.abspath(p), here) for p in state.all_model_checkpoint_paths]
    latest = os.path.relpath(os.path.abspath(state.model_checkpoint_path), here)
    lines = [f"model_checkpoint_path: {_quoted(latest)}"]
    lines += [f"all_model_checkpoint_paths: {_quoted(path)}" for path in paths]
    lines += [f"all_model_checkpoint_timestamps: {stamp!r}" for stamp in state.all_model_checkpoint_timestamps]
    if state.last_preserved_timestamp:
        lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    write_text(Path(directory) / filename, "\n".join(lines) + "\n")


def get_checkpoint_state(
    checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None
) -> CheckpointState | None:
    """What the file `checkpoint` in the directory says, with paths that can be opened; None without such a file."""
    directory = os.fspath(checkpoint_dir)
    text = read_text(Path(directory) / (latest_filename or "checkpoint"))
    if text is None:
        return None
    fields: dict[str, list[str]] = {}
    for match in filter(None, map(_LINE.match, text.splitlines())):
        name, quoted, number = match.groups()
        fields.setdefault(name, []).append(number if quoted is None else _unquoted(quoted))
    if "model_checkpoint_path" not in fields:
        return None
    return CheckpointState(
        model_checkpoint_path=os.path.join(directory, fields["model_checkpoint_path"][-1]),
        all_model_checkpoint_paths=tuple(
            os.path.join(directory, path) for path in fields.get("all_model_checkpoint_paths", [])
        ),
        all_model_checkpoint_timestamps=tuple(map(float, fields.get("all_model_checkpoint_timestamps", []))),
        last_preserved_timestamp=float(fields.get("last_preserved_timestamp", ["0"])[-1]),
    )


def latest_checkpoint(checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None) -> str | None:
    """The path of the newest complete checkpoint that the directory's file `checkpoint` names, for `restore`.

    A checkpoint that is gone or was never finished is passed over, with a warning. None when no listed one is left.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    older = [path for path in reversed(state.all_model_checkpoint_paths) if path != state.model_checkpoint_path]
    for path in [state.model_checkpoint_path, *older]:
        if is_complete(path):
            return path
        _log.warning("Checkpoint %s is listed in %s, but its files are missing or incomplete.", path, checkpoint_dir)
    return None


def checkpoints_iterator(
    checkpoint_dir: str | os.PathLike[str],
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yield each new latest checkpoint of a directory as it appears, at most one every `min_interval_secs`.

    Ends when none appeared for `timeout` seconds (None: waits on) and `timeout_fn`, if any, returns True.
    """
    last = None
    while True:
        new = _wait_for_new(checkpoint_dir, last, timeout)
        if new is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        started, last = time.monotonic(), new
        yield new
        time.sleep(max(0.0, started + min_interval_secs - time.monotonic()))


def single(path: str) -> CheckpointState:
    """The state of a directory in which only the last saved checkpoint is known."""
    return CheckpointState(model_checkpoint_path=path, all_model_checkpoint_paths=(path,))


def _wait_for_new(directory: str | os.PathLike[str], last: str | None, timeout: float | None) -> str | None:
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = 1.0 if timeout is None else min(1.0, timeout / 4)
    while True:
        new = latest_checkpoint(directory)
        if new is not None and new != last:
            return new
        if deadline is not None and time.monotonic() + pause > deadline:
            return None
        time.sleep(pause)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def listed(state: CheckpointState, now: float) -> Sequence[tuple[str, float]]:
    """The listed paths with the times they were written; a time is never in the future."""
    stamps = state.all_model_checkpoint_timestamps or (state.last_preserved_timestamp,) * len(
        state.all_model_checkpoint_paths
    )
    return [(path, min(stamp, now)) for path, stamp in zip(state.all_model_checkpoint_paths, stamps, strict=True)]
