"""What is done around the steps of one pass over data, and Fit, which does it for `fit`: epochs, as its backups see them."""

import functools
from collections.abc import Callable
from typing import Any, final

import keras

from stratagem._training._callbacks import Callbacks
from stratagem._training.callbacks._backup import Backup
from stratagem._training.callbacks._json import from_json, to_json


class LoopHooks:
    """Nothing is done, and the pass begins with the first batch; `fit` has hooks of its own (`Fit`).

    step: how many steps were taken before; logs: those after the last of them.
    """

    def __init__(self) -> None:
        self.step = 0
        self.logs: dict[str, Any] = {}

    def run(self, step: Callable[[], bool]) -> bool:
        """Take the next steps; False if there was none to take."""
        return step()

    def stepped(self, taken: int, logs: Any) -> None:
        """So many steps of the epoch were taken by now, and the last one gave these logs."""


@final
class Fit(LoopHooks):
    """Where a fit is: `step` steps into `epoch` (from 0), the last of which gave `logs`; `ended`: no epoch is to follow.

    sources: what the data is read from, by name, with `get_state` and `set_state`. A backup is restored after all callbacks
    have begun, and made after all of them have seen what happened, wherever its callback stands among them.
    """

    def __init__(self, model: Any, callbacks: Callbacks, sources: dict[str, Any], first_epoch: int) -> None:
        super().__init__()
        self.epoch, self.ended = first_epoch, False
        self._model, self._callbacks, self._sources = model, callbacks, sources
        self._backups: list[Backup] = []
        self._begun = self._resumes = False

    def begin(self) -> None:
        """Let the callbacks begin, and go where the newest backup was made, if there is one."""
        self._callbacks.on_train_begin()
        given = [each for each in self._callbacks.callbacks if isinstance(each, keras.callbacks.BackupAndRestore)]
        self._backups = [Backup(each, self._model, self._callbacks, self) for each in given]
        for backup in self._backups:
            backup.restore()
        self._begun, self._resumes = True, self.step > 0

    def get_state(self) -> dict[str, Any]:
        """Where it is, as a dict that JSON can hold; all workers have to ask."""
        return {
            "epoch": self.epoch,
            "step": self.step,
            "ended": self.ended,
            "logs": to_json(self.logs),
            "sources": {name: source.get_state() for name, source in self._sources.items()},
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go there, unless epochs have begun here already."""
        if self._begun:
            return
        self.epoch, self.step, self.ended = state["epoch"], state["step"], state["ended"]
        self.logs = from_json(state["logs"])
        # Two sources may share a data set, whose next shuffle is that of the one that began last.
        names = list(self._sources)
        for name in reversed(names) if self.step else names:
            self._sources[name].set_state(state["sources"][name])

    def epochs(self, last: int) -> range:
        """The epochs that are left."""
        return range(0) if self.ended else range(self.epoch, last)

    def begin_epoch(self, epoch: int) -> None:
        """The next step is in this epoch."""
        self.epoch = epoch
        if not self._resumes:
            self.step, self.logs = 0, {}
            self._model.reset_metrics()
        self._callbacks.on_epoch_begin(epoch)
        if self._resumes:
            # The epoch has begun once before, and what that changes (a learning rate, say) was changed then.
            for backup in self._backups:
                backup.restore_values()
        self._resumes = False

    def run(self, step: Callable[[], bool]) -> bool:
        """As `LoopHooks.run`; a worker that will be ended leaves before or after the steps."""
        for backup in self._backups:
            step = functools.partial(backup.run, step)
        return step()

    def stepped(self, taken: int, logs: Any) -> None:
        """As `LoopHooks.stepped`; makes the backups that are due."""
        before, self.step, self.logs = self.step, taken, logs
        self._callbacks.agree_within_an_epoch()
        for backup in self._backups:
            backup.stepped(taken - before)

    def end_epoch(self, epoch: int, logs: dict[str, Any]) -> None:
        """The epoch is over, its evaluation too."""
        self.epoch, self.step, self.logs = epoch + 1, 0, logs
        try:
            self._callbacks.on_epoch_end(epoch, logs)
            self.ended = bool(self._model.stop_training)
        finally:
            for backup in self._backups:  # as in TensorFlow, also where a later callback has failed
                backup.epoch_ended()

    def end(self, logs: dict[str, Any]) -> None:
        """The fit is over, and what its callbacks have written is on disk, on all workers."""
        self._callbacks.on_train_end(logs)
        for backup in self._backups:
            backup.delete()

    def close(self) -> None:
        """It has ended, in whatever way."""
        for backup in self._backups:
            backup.close()
