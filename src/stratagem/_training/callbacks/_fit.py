"""FitRun: the progress of one call of `fit`, epoch by epoch, and its backups."""

import functools
from collections.abc import Callable
from typing import Any, final

import keras

from stratagem._training._callbacks import Callbacks
from stratagem._training.callbacks._backup import Backup
from stratagem._training.callbacks._json import from_json, to_json


class LoopHooks:
    """Hooks that do nothing, for a pass that begins with the first batch; `fit` has its own (`FitRun`).

    step: how many steps were taken before; logs: those after the last of them.
    """

    def __init__(self) -> None:
        self.step = 0
        self.logs: dict[str, Any] = {}

    def run(self, step: Callable[[], bool]) -> bool:
        """Takes the next steps; returns False if there were none."""
        return step()

    def stepped(self, taken: int, logs: Any) -> None:
        """Called after steps: so many of the epoch have been taken by now, and the last one returned these logs."""


@final
class FitRun(LoopHooks):
    """The position of a fit: `step` steps into `epoch` (from 0), with `logs` from the last one; `ended`: no epoch is to follow.

    sources: the inputs, by name, each with `get_state` and `set_state`. A backup is restored after all callbacks have
    begun, and made after all of them have been called, regardless of its callback's position among them.
    """

    def __init__(self, model: Any, callbacks: Callbacks, sources: dict[str, Any], first_epoch: int) -> None:
        super().__init__()
        self.epoch, self.ended = first_epoch, False
        self._model, self._callbacks, self._sources = model, callbacks, sources
        self._backups: list[Backup] = []
        self._begun = self._resumes = False

    def begin(self) -> None:
        """Begins the callbacks, and restores the newest backup, if there is one."""
        self._callbacks.on_train_begin()
        given = [each for each in self._callbacks.callbacks if isinstance(each, keras.callbacks.BackupAndRestore)]
        self._backups = [Backup(each, self._model, self._callbacks, self) for each in given]
        for backup in self._backups:
            backup.restore()
        self._begun, self._resumes = True, self.step > 0

    def get_state(self) -> dict[str, Any]:
        """The position, as a dict that JSON can hold; all workers have to call it."""
        return {
            "epoch": self.epoch,
            "step": self.step,
            "ended": self.ended,
            "logs": to_json(self.logs),
            "sources": {name: source.get_state() for name, source in self._sources.items()},
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores a position, unless epochs have already begun."""
        if self._begun:
            return
        self.epoch, self.step, self.ended = state["epoch"], state["step"], state["ended"]
        self.logs = from_json(state["logs"])
        # Two sources may share a dataset, whose next shuffle belongs to the source that began last.
        names = list(self._sources)
        for name in reversed(names) if self.step else names:
            self._sources[name].set_state(state["sources"][name])

    def epochs(self, last: int) -> range:
        """The remaining epochs."""
        return range(0) if self.ended else range(self.epoch, last)

    def begin_epoch(self, epoch: int) -> None:
        """Begins this epoch."""
        self.epoch = epoch
        if not self._resumes:
            self.step, self.logs = 0, {}
            self._model.reset_metrics()
        self._callbacks.on_epoch_begin(epoch)
        if self._resumes:
            # The epoch has begun before, and its effects (on a learning rate, say) are in the saved values.
            for backup in self._backups:
                backup.restore_values()
        self._resumes = False

    def run(self, step: Callable[[], bool]) -> bool:
        """Takes the next steps; a worker that will be pre-empted exits before or after them."""
        for backup in self._backups:
            step = functools.partial(backup.run, step)
        return step()

    def stepped(self, taken: int, logs: Any) -> None:
        """Records the steps taken so far, and makes the backups that are due."""
        before, self.step, self.logs = self.step, taken, logs
        self._callbacks.agree_within_an_epoch()
        for backup in self._backups:
            backup.stepped(taken - before)

    def end_epoch(self, epoch: int, logs: dict[str, Any]) -> None:
        """Ends the epoch, after its evaluation."""
        self.epoch, self.step, self.logs = epoch + 1, 0, logs
        try:
            self._callbacks.on_epoch_end(epoch, logs)
            self.ended = bool(self._model.stop_training)
        finally:
            for backup in self._backups:  # as in TensorFlow, also where a later callback has failed
                backup.epoch_ended()

    def end(self, logs: dict[str, Any], *, complete: bool) -> None:
        """Ends the fit; the files of its callbacks are then on disk, on all workers.

        complete: whether no epoch is missing, but those that a callback did not want: the backups are no longer needed then.
        """
        self._callbacks.on_train_end(logs)
        for backup in self._backups:
            if complete:
                backup.delete()
            else:
                backup.keep()

    def close(self) -> None:
        """Closes the backups, however the fit has ended."""
        for backup in self._backups:
            backup.close()
