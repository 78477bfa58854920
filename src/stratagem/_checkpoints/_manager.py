"""CheckpointManager: numbered checkpoints in one directory, of which old ones are deleted."""

import logging
import os
import time
from collections.abc import Callable
from typing import Any, Protocol

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.exports import exported
from stratagem._base.html_tables import html_table
from stratagem._base.storage import checked_path
from stratagem._checkpoints._background import saves_of, wait_for_saves
from stratagem._checkpoints._children import is_variable, value_of
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._formats import delete, non_finite_in
from stratagem._checkpoints._host_copies import HostCopies
from stratagem._checkpoints._index import (
    CheckpointState,
    get_checkpoint_state,
    is_within,
    listed,
    number_of,
    record_checkpoint_state,
)
from stratagem._checkpoints._latest_intact import first_good, latest_checkpoint, newest_first
from stratagem._checkpoints._options import CheckpointFormat, CheckpointOptions, checked
from stratagem._checkpoints._overwrite_guard import RESTORE_FIRST, OverwriteGuard
from stratagem._checkpoints._owner import owning
from stratagem._checkpoints._saving import copies_of, save, settle
from stratagem._checkpoints._together import agree_to_restore, job_here, save_together
from stratagem._checkpoints._unfinished import completed_at, names_of, remove_unfinished

_log = logging.getLogger("stratagem.checkpoint")


class Saveable(Protocol):
    """An object that a manager saves."""

    @property
    def save_counter(self) -> Any:
        """The number of the last checkpoint, a variable."""

    @property
    def overwrite_guard(self) -> OverwriteGuard:
        """The checkpoints that it has written or restored, also without the manager."""

    def snapshot(self, format: CheckpointFormat, copies: HostCopies | None = None) -> CheckpointContents:
        """The current contents for a checkpoint of this format. copies: makes copies of values, which no later step reuses."""

    def restore(self, save_path: str) -> Any:
        """Assigns the values of a checkpoint."""


@exported("train.CheckpointManager")
class CheckpointManager:
    """Saves `<directory>/<checkpoint_name>-<n>` and keeps the newest ones, like `tf.train.CheckpointManager`.

    max_to_keep: how many to keep; None keeps all. While the newest holds a NaN or an infinity, the last one without is kept
        beyond this number.
    keep_checkpoint_every_n_hours: keeps one permanently, instead of deleting it, if the last such one is older than this.
    step_counter, checkpoint_interval: `save` does nothing until this many steps after the last save.
    init_fn: called by `restore_or_initialize` when there is no checkpoint.

    A manager that did not restore starts again at number 1, as in TensorFlow; a complete checkpoint that it replaces,
    or a later step that it deletes, is named in a warning. Raises ValueError when max_to_keep is below 1, or an
    interval is given without a counter.
    """

    def __init__(
        self,
        checkpoint: Saveable,
        directory: str | os.PathLike[str],
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._directory = checked_path(directory)
        self._max_to_keep = max_to_keep
        self._keep_every = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step: int | None = None
        self._saves = checkpoint.overwrite_guard
        self._begun: str | None = None
        self._latest = latest_checkpoint(self._directory)
        self._last_preserved, self._deletable = self._recover(time.time())
        self._finite = {path: _is_finite(path) for path in self._deletable} if max_to_keep is not None else {}

    @property
    def checkpoint(self) -> Any:
        """The object whose parts are saved."""
        return self._checkpoint

    @property
    def directory(self) -> str:
        """The directory of the checkpoints."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """The number of steps between two checkpoints, or None."""
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, which may still be in the background (`sync` waits for it), or None."""
        return self._in_background() or self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that may still be deleted, oldest first; the last may still be in the background."""
        writing = self._in_background()
        complete = [path for path in list(self._deletable) if path != writing]
        return complete if writing is None else [*complete, writing]

    def _repr_html_(self) -> str:
        kept = "all" if self._max_to_keep is None else f"the last {self._max_to_keep}"
        rows = [("directory", self._directory), ("kept", kept)]
        latest = self.latest_checkpoint
        for path in self.checkpoints:
            rows.append(("newest" if path == latest else "checkpoint", os.path.basename(path)))
        return html_table(type(self).__name__, rows)

    def sync(self) -> None:
        """Waits until the save that is in the background, if there is one, is on disk. Raises what it has raised, once."""
        settle(self._checkpoint)

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Writes a checkpoint, then deletes surplus ones. Returns its path, or None if it is too early for the next one.

        checkpoint_number: an integer or integer variable to use instead of `checkpoint.save_counter`.
        check_interval: False saves regardless of the interval, but never twice at one step.
        options: their callbacks are called at the end, with the path. With `enable_async`, this returns when the values are
            copied; the rest, deleting included, happens in the background.

        A missing directory is created, even if somebody has deleted it. Raises the same errors as `Checkpoint.save`.
        """
        options = checked(options)
        if self._too_early(check_interval):
            return None
        self.sync()
        self._note_step()
        counter = self._checkpoint.save_counter
        counter.assign(_integer(counter) + 1)  # `assign_add` computes by JAX, which takes longer
        number = _integer(counter if checkpoint_number is None else checkpoint_number)
        path = f"{self._prefix}-{number}"
        contents = self._checkpoint.snapshot(options.format, copies_of(self._checkpoint, options))
        written = False

        def publish() -> None:
            nonlocal written
            with owning(self._directory, self, os.path.basename(path)) as unfinished:
                self._take_up(unfinished)
                self._saves.write(path, contents)
                self._set_latest(path)
                # Twice: after a crash in between, the list still names whatever is there.
                self._record()
                self._delete_surplus(self._delete)
                self._record()
            written = True

        def note() -> None:
            if not written:  # another process of the job wrote it
                self._set_latest(path)
                self._delete_surplus(lambda path: None)

        self._begun = path
        save(self._checkpoint, self._directory, path, publish, options, note)
        return path

    def _in_background(self) -> str | None:
        path = saves_of(self._checkpoint).path
        return path if path == self._begun else None

    def delete_not_finite(self) -> str | None:
        """Makes the last checkpoint without NaN and infinity the latest, deletes those that are newer, and returns its path.

        If there is none, nothing is deleted and None returned. All processes of the job have to call it.
        """
        self.sync()
        found = [path for path in self._deletable if self._finite.get(path, False)]
        if not found:
            return None
        last = self._latest = found[-1]
        later = [*self._deletable][[*self._deletable].index(last) + 1 :]
        for path in later:
            del self._deletable[path], self._finite[path]

        def publish() -> None:
            with owning(self._directory, self, os.path.basename(last)):
                self._record()
                for path in filter(lambda path: is_within(path, self._directory), later):
                    delete(path)

        save_together(self._directory, last, publish)
        return last

    def restore_or_initialize(self) -> str | None:
        """Restores the latest good checkpoint and returns its path, or calls `init_fn` and returns None.

        Damaged checkpoints are skipped, with a warning that names the file. Raises the same errors as `restore` for
        values that do not fit, and CheckpointError when the processes of the job find different checkpoints.
        """
        self.sync()
        wait_for_saves()
        skipped: set[str] = set()
        while True:
            candidates = (path for path in newest_first(self._directory) if path not in skipped)
            self._latest = first_good(candidates, self._directory)
            agree_to_restore(self._latest)
            if self._latest is None:
                if self._init_fn is not None:
                    self._init_fn()
                return None
            try:
                self._checkpoint.restore(self._latest)
            except DataLossError as error:  # it was intact when it was last verified
                if job_here().workers > 1:
                    raise  # the others have restored it
                _log.warning("Passing over a checkpoint: %s", str(error))
                skipped.add(self._latest)
                continue
            self._note_step()
            return self._latest

    def _recover(self, now: float) -> tuple[float, dict[str, float]]:
        """The time of the last preserved checkpoint, and the paths of those that are not preserved, with their times."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return now - 1.0, {}
        if state.last_preserved_timestamp > now:
            _log.warning(
                "The clock is %.0f s behind the last preserved checkpoint of %s; counting from now.",
                state.last_preserved_timestamp - now, self._directory,
            )  # fmt: skip
        preserved = min(state.last_preserved_timestamp, now)
        return preserved, {path: stamp for path, stamp in listed(state, now) if stamp > preserved}

    def _take_up(self, unfinished: tuple[str, ...]) -> None:
        """Removes what killed saves have left. Those that they had completed, and not listed, are deleted in their turn.

        Such a one is newer than all that are listed. An older one is not listed because it is preserved.
        """
        newest = max(self._deletable.values(), default=0.0)
        for path in remove_unfinished(self._directory, names_of(os.path.basename(self._prefix), unfinished)):
            if path not in self._deletable and completed_at(path) > newest:
                self._deletable[path] = time.time()
                self._finite[path] = _is_finite(path)

    def _too_early(self, check_interval: bool) -> bool:
        if self._checkpoint_interval is None:
            return False
        step, last = _integer(self._step_counter), self._last_step
        return last is not None and (step == last or (check_interval and step < last + self._checkpoint_interval))

    def _note_step(self) -> None:
        if self._checkpoint_interval is not None:
            self._last_step = _integer(self._step_counter)

    def _set_latest(self, path: str) -> None:
        """Records that this checkpoint is now the newest."""
        self._deletable.pop(path, None)
        self._deletable[path] = time.time()
        self._finite[path] = _is_finite(path)
        self._latest = path

    def _delete_surplus(self, remove: Callable[[str], None]) -> None:
        if self._max_to_keep is None:
            return
        last_finite = next((path for path in reversed(self._deletable) if self._finite[path]), None)
        for path in [*self._deletable][: -self._max_to_keep]:
            stamp = self._deletable[path]
            if self._keep_every and stamp - self._keep_every * 3600.0 >= self._last_preserved:
                self._last_preserved = stamp
            elif path == last_finite:
                continue
            else:
                remove(path)
            del self._deletable[path], self._finite[path]

    def _delete(self, path: str) -> None:
        if not is_within(path, self._directory):
            return  # the list is a file that anybody may have written: do not trust its paths
        assert self._latest is not None  # it has just been saved
        number, saved = number_of(path), number_of(self._latest)
        delete(path)
        if number is not None and saved is not None and number > saved:
            _log.warning(
                "Deleted %s as %s were to be kept, although %s, which was saved now, is an earlier step. %s",
                path, self._max_to_keep, os.path.basename(self._latest), RESTORE_FIRST,
            )  # fmt: skip

    def _record(self) -> None:
        assert self._latest is not None
        state = CheckpointState(
            model_checkpoint_path=self._latest,
            all_model_checkpoint_paths=tuple(self._deletable),
            all_model_checkpoint_timestamps=tuple(self._deletable.values()),
            last_preserved_timestamp=self._last_preserved,
        )
        record_checkpoint_state(self._directory, state)


def _is_finite(path: str) -> bool:
    """Returns whether a checkpoint is without NaN and infinity."""
    try:
        return not non_finite_in(path)
    except (NotFoundError, DataLossError, CheckpointError):
        return False


def _integer(value: Any) -> int:
    return int(value_of(value)) if is_variable(value) else int(value)
