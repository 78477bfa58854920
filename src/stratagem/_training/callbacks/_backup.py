"""Backup: the implementation of a `BackupAndRestore` callback under a strategy."""

import logging
import os
from collections.abc import Callable
from typing import Any, final

from stratagem._base.paths import parent
from stratagem._base.storage import checked_path, file_system
from stratagem._checkpoints import Checkpoint, CheckpointManager, PreemptionCheckpointHandler, TerminationConfig, shown
from stratagem._core.context import entered
from stratagem._private import global_seed_generator
from stratagem._training._callbacks import Callbacks
from stratagem._training.callbacks._callback_state import StatefulCallback, stateful_callbacks
from stratagem._training.callbacks._model_saving import weights_not_finite
from stratagem._training.callbacks._slots import MetricSlots

_log = logging.getLogger("stratagem")

_MAX_TO_KEEP = 2  # so that an earlier one is good if the newest is damaged


@final
class Backup:
    """Checkpoints of a whole fit: model, optimizer, metrics, seeds, `place` (epoch, step, data) and its callbacks."""

    def __init__(self, callback: Any, model: Any, callbacks: Callbacks, place: Any) -> None:
        self._callback, self._place, self._callbacks = callback, place, callbacks
        self._model = model
        self._steps = 0  # since the last backup
        self._stateful = stateful_callbacks(callbacks.callbacks)
        self._slots = MetricSlots(model, model.distribute_strategy.mesh)
        self._holders: list[MetricSlots | StatefulCallback] = [self._slots, *self._stateful.values()]
        self._directory = os.path.join(checked_path(callback.backup_dir), "chief")  # TensorFlow's name
        with entered(strategy=None, replica=None, crossing=False):
            seeds = global_seed_generator()
        checkpoint = Checkpoint(
            model=model,
            metrics=list(model.metrics_variables),
            slots=self._slots.parts,
            seeds=seeds,
            place=place,
            callbacks={name: {"state": each, "values": each.variables} for name, each in self._stateful.items()},
        )
        self._manager = CheckpointManager(checkpoint, self._directory, max_to_keep=_MAX_TO_KEEP)
        self._handler: PreemptionCheckpointHandler | None = None

    def restore(self) -> None:
        """Restores the newest good backup, if there is one."""
        if self._callback.save_before_preemption:
            config = TerminationConfig(save_fn=self._save)
            # The handler restores the newest backup itself.
            self._handler = PreemptionCheckpointHandler(None, self._manager, termination_config=config)
        else:
            self._manager.restore_or_initialize()
        self._apply()
        if self._manager.latest_checkpoint is None:
            _log.info("No backup in %s: training begins at epoch %d", self._callback.backup_dir, self._place.epoch + 1)
        else:
            _log.info(
                "Training goes on from %s: after %d steps of epoch %d.",
                self._manager.latest_checkpoint, self._place.step, self._place.epoch + 1,
            )  # fmt: skip

    def restore_values(self) -> None:
        """Restores again the values of everything except the position in the data."""
        if self._manager.latest_checkpoint is not None:
            self._manager.restore_or_initialize()
            self._apply()

    def run(self, step: Callable[[], bool]) -> bool:
        """Takes the next steps; if a worker will be pre-empted, all workers save and exit, before or after these steps."""
        return step() if self._handler is None else bool(self._handler.run(step))

    def stepped(self, steps: int) -> None:
        """Records that some more steps were taken, and saves if it is time to."""
        self._steps += steps
        every = self._callback.save_freq
        if every and every != "epoch" and self._steps >= every:
            self._save()

    def epoch_ended(self) -> None:
        """Saves if the callback wants to: all callbacks have now seen the end of the epoch."""
        if self._callback._epoch_has_ended:
            self._callback._epoch_has_ended = False
            self._save()

    def close(self) -> None:
        """Ends the backup, however the fit has ended."""
        if self._handler is not None:
            self._handler.close()

    def delete(self) -> None:
        """Deletes the backup after a successful fit, if the callback says so."""
        self._manager.sync()
        if not self._callback.delete_checkpoint or self._keep_finite():
            return
        for chief in (True, False):  # the others delete the folders that they do not share with worker 0
            files = file_system(self._directory)
            if self._callbacks.chief is chief and files.is_directory(self._directory):
                files.remove_tree(self._directory)
                files.remove_if_empty(parent(self._directory))  # else: somebody else's files
            self._callbacks.meet("delete the backup")

    def keep(self) -> None:
        """Keeps the backup of a fit whose data ended before its last epoch."""
        self._manager.sync()
        if self._manager.latest_checkpoint is not None:
            _log.warning(
                "The data ended before the last epoch, so the backup stays: a fit with this backup_dir goes on from %s. Delete "
                "it to start anew.", self._manager.latest_checkpoint,
            )  # fmt: skip

    def _keep_finite(self) -> bool:
        """Keeps the last backup with finite weights if the fit has ended with others; returns whether it did."""
        bad = weights_not_finite(self._model)
        good = self._manager.delete_not_finite() if bad else None
        if good is None:
            return False
        _log.warning(
            "The fit has ended with weights that are not finite (NaN or infinite): %s. The last backup of finite ones stays: "
            "a fit with this backup_dir goes on from %s. Delete it to start anew.", shown(bad), good,
        )  # fmt: skip
        return True

    def _save(self) -> None:
        self._steps = 0
        self._callbacks.settle()
        self._place.get_state()  # waits for steps in progress, before their variables are read
        for each in self._holders:
            each.capture()
        self._manager.save(options=self._callback.options)

    def _apply(self) -> None:
        self._manager.checkpoint.forget_unused()  # values of other callbacks, or for another number of replicas
        for each in self._holders:
            each.apply()
