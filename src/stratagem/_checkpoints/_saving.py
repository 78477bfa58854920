"""Saves a checkpoint as its options say: now, or in the background."""

from collections.abc import Callable
from typing import Any

from stratagem._checkpoints._background import saves_of, wait_for_saves
from stratagem._checkpoints._host_copies import HostCopies
from stratagem._checkpoints._options import CheckpointOptions, call_back
from stratagem._checkpoints._together import SavePlan, job_here

_ORDER = "saves in the background"


def _nothing() -> None:
    """Notes nothing."""


def save(
    owner: Any,
    directory: str,
    path: str,
    write: Callable[[], None],
    options: CheckpointOptions,
    note: Callable[[], None] = _nothing,
) -> None:
    """Calls `write` for the checkpoint `path` in `directory`, in one process per directory, then the callbacks of `options`.

    Now, after all saves that are in the background, or in the background itself. `write` must not use anything that the program
    may change meanwhile. owner: what is saved; the caller has settled it. note: is called in every process when the files are
    on disk, before the callbacks.

    Raises the same errors as `save_together`; in the background, only those of agreeing on the save.
    """
    if not options.enable_async:
        wait_for_saves()
    plan = SavePlan.agreed(directory, path)
    if options.enable_async:
        saves_of(owner).begin(path, lambda: _carry_out(plan, write, note, options, _ORDER), plan.job)
    else:
        _carry_out(plan, write, note, options, "")


def copies_of(owner: Any, options: CheckpointOptions) -> HostCopies | None:
    """Returns what copies the values of `owner` for a save with these options; None if it is over before a step can run."""
    return saves_of(owner).copies() if options.enable_async else None


def settle(owner: Any) -> None:
    """Waits until the last save of `owner` in the background has ended. Raises what it raised, once."""
    saves_of(owner).settle(job_here())


def _carry_out(
    plan: SavePlan, write: Callable[[], None], note: Callable[[], None], options: CheckpointOptions, order: str
) -> None:
    plan.carry_out(write, order)
    note()
    call_back(options, plan.path)
