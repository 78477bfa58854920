"""Callbacks of Keras: their hooks, and what they know of the epochs so far."""

import functools
import logging
from collections.abc import Callable
from typing import Any

import keras
from keras.src import utils as keras_utils

from stratagem._private._trainer import Route, routed_method

_log = logging.getLogger("stratagem")


def is_default(method: Any) -> bool:
    """True for a method of a callback that is Keras' own and does nothing."""
    return bool(keras_utils.is_default(method))


def display_histories(table: Callable[[Any], str]) -> None:
    """Have notebooks show what `fit` returns by what `table` makes of it, HTML."""
    keras.callbacks.History._repr_html_ = table


def intercept_callbacks(*, backup: dict[str, Route], save: Callable[[Any, str], None]) -> None:
    """Route hooks of `BackupAndRestore`, and the saving of `ModelCheckpoint` for models that were made under a strategy.

    `BackupAndRestore` gets TensorFlow's argument `save_before_preemption`, and `options`, with which checkpoints are saved.
    save(callback, path) writes the model there: also models that were made elsewhere, if the callback has options for it.
    With `save_best_only`, `ModelCheckpoint` saves nothing while the monitored value is missing, as in Keras 2.
    """
    cls, checkpoint = keras.callbacks.BackupAndRestore, keras.callbacks.ModelCheckpoint
    init, save_model, on_epoch_end = cls.__init__, checkpoint._save_model, checkpoint.on_epoch_end

    @functools.wraps(init)
    def new_init(
        self: Any, *args: Any, save_before_preemption: bool = False, options: Any = None, **kwargs: Any
    ) -> None:
        init(self, *args, **kwargs)
        self.options = options
        if not self.save_freq and not save_before_preemption:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        self.save_before_preemption = save_before_preemption

    @functools.wraps(save_model)
    def new_save_model(self: Any, epoch: int, batch: int | None, logs: Any) -> None:
        if self.save_best_only and (logs or {}).get(self.monitor) is None:
            self._get_file_path(epoch, batch, logs)  # raises the error for a name that this epoch cannot fill in
            _log.warning("Can save best model only with %s available, skipping.", self.monitor)
            return
        if self.save_best_only and self.monitor_op is None:
            self._set_monitor_op()
        if self.model._creation_strategy is None and self.options is None:
            save_model(self, epoch, batch, logs)
            return
        path = self._get_file_path(epoch, batch, logs)
        if self._should_save_model(epoch, batch, logs, path):
            save(self, path)
            if self.verbose > 0:
                keras_utils.io_utils.print_msg(f"\nEpoch {epoch + 1}: finished saving model to {path}")

    @functools.wraps(on_epoch_end)
    def new_on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":  # without asking how to compare what is monitored: perhaps it never is there
            self._save_model(epoch=epoch, batch=None, logs=logs)

    cls.__init__, cls.save_before_preemption = new_init, False
    checkpoint._save_model, checkpoint.on_epoch_end = new_save_model, new_on_epoch_end
    for name, route in backup.items():
        setattr(cls, name, routed_method(getattr(cls, name), route))


# What a callback of Keras knows of the epochs so far, by class.
CALLBACK_STATE: dict[type, tuple[str, ...]] = {
    keras.callbacks.EarlyStopping: ("wait", "best", "best_epoch", "stopped_epoch"),
    keras.callbacks.History: ("epoch", "history"),
    keras.callbacks.ModelCheckpoint: ("best", "_batches_seen_since_last_saving", "_last_batch_seen"),
    keras.callbacks.ReduceLROnPlateau: ("wait", "best", "cooldown_counter"),
    keras.callbacks.SwapEMAWeights: ("_ema_weights_in_model",),
}
