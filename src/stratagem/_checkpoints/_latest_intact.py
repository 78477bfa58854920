"""Chooses the checkpoint to restore, the latest intact one, and warns about those that are not intact."""

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.exports import exported
from stratagem._base.paths import absolute, parent
from stratagem._base.storage import checked_path
from stratagem._checkpoints._background import wait_for_saves
from stratagem._checkpoints._finite import shown
from stratagem._checkpoints._formats import fingerprint, verify
from stratagem._checkpoints._index import NAME, get_checkpoint_state, is_within, numbered, saved_in

_log = logging.getLogger("stratagem.checkpoint")

# Checkpoints verified and warnings given so far, so that an evaluator that asks every second repeats neither.
_verified: dict[str, tuple[object, ...]] = {}
_warned: set[str] = set()
_warned_of_values: set[tuple[str, ...]] = set()


@exported("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None) -> str | None:
    """The path of the newest complete checkpoint that the directory's file `checkpoint` names, for `restore`.

    Every file of it has been compared with its checksum. A checkpoint that is gone, was never finished or is damaged is
    skipped, with a warning that names the file; then the newest one in the directory is used. None if no good one is left.
    Without the file (and no `latest_filename`), the newest one in the directory is used, with a warning.
    """
    wait_for_saves()
    directory = checked_path(checkpoint_dir)
    return first_good(newest_first(directory, latest_filename), directory)


def newest_first(directory: str, latest_filename: str | None = None) -> Iterator[str]:
    """The checkpoint to restore, then, if that one is not good, all others: the list is then no longer reliable."""
    state = get_checkpoint_state(directory, latest_filename)
    if state is None:
        return
    yield state.model_checkpoint_path
    there = saved_in(directory) if latest_filename in (None, NAME) else {}
    others = [*there, *(path for path in state.all_model_checkpoint_paths if path not in there)]
    yield from (path for path in reversed(others) if path != state.model_checkpoint_path)


def first_good(paths: Iterable[str], directory: str) -> str | None:
    """The first of the paths that holds an intact checkpoint; the skipped ones are named in a warning, once."""
    for path in paths:
        problem = _problem(path, directory)
        if problem is None:
            return path
        if problem not in _warned:
            _warned.add(problem)
            _log.warning("Passing over a checkpoint listed in %s: %s", directory, problem)
    return None


def is_good(path: str) -> bool:
    """Returns whether there is an intact checkpoint at this path."""
    return _problem(path, parent(path)) is None


def newest_other(path: str) -> str:
    """A sentence that says what to restore instead of a damaged checkpoint."""
    directory = parent(absolute(path))
    state = get_checkpoint_state(directory)
    known = list(numbered(directory)) if state is None else [*state.all_model_checkpoint_paths]
    others = [other for other in reversed(known) if absolute(other) != absolute(path)]
    good = next((other for other in others if _problem(other, directory) is None), None)
    if good is None:
        return "There is no good one beside it."
    return f"The newest good one is {good!r}: restore that, or tf.train.latest_checkpoint({directory!r})."


def warn_not_finite(path: str, names: Sequence[str]) -> None:
    """Warns once about non-finite arrays in a checkpoint that is restored; names the newest other one that is finite."""
    if not names or (path, *names) in _warned_of_values:
        return
    _warned_of_values.add((path, *names))
    directory = parent(absolute(path))
    finite = (m for m in reversed(saved_in(directory).items()) if not m[1].non_finite and is_good(m[0]))
    good = next((f"The newest finite one beside it is {other!r}" for other, _ in finite), "None beside it is finite")
    _log.warning("Restored values that are not finite (NaN or infinite): %s, from %r. %s.", shown(names), path, good)


@exported("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: str | os.PathLike[str],
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields each new latest checkpoint of a directory as it appears, at most one every `min_interval_secs`.

    Ends when none has appeared for `timeout` seconds (None: never) and `timeout_fn`, if any, returns True.
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


def _problem(path: str, directory: str) -> str | None:
    """The reason why the listed checkpoint at `path` must not be restored; None if it is intact."""
    if not is_within(path, directory):
        return f"The checkpoint {path!r} is not below that directory."
    try:
        before = fingerprint(path)
        if _verified.get(path) != before:
            verify(path)
            _verified[path] = before
    except (NotFoundError, DataLossError) as error:
        return str(error)
    except CheckpointError:
        return None  # written by a later version of the library: still the newest, and `restore` raises
    return None


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
