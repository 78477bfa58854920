"""Callbacks of Keras: their hooks, and what they know of the epochs so far."""

import functools
from collections.abc import Callable
from typing import Any

import keras
from keras.src import utils as keras_utils

from stratagem._base.types import Nest
from stratagem._private._trainer import Route, routed_method


def is_default(method: Nest) -> bool:
    """True for a method of a callback that is Keras' own and does nothing."""
    return bool(keras_utils.is_default(method))


def intercept_callbacks(*, backup: dict[str, Route], save: Callable[[Nest, str], None]) -> None:
    """Route hooks of `BackupAndRestore`, and the saving of `ModelCheckpoint` for models that were made under a strategy.

    `BackupAndRestore` gets TensorFlow's argument `save_before_preemption`. save(callback, path) writes the model there.
    """
    cls, checkpoint = keras.callbacks.BackupAndRestore, keras.callbacks.ModelCheckpoint
    init, save_model = cls.__init__, checkpoint._save_model

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, save_before_preemption: bool = False, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        if not self.save_freq and not save_before_preemption:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        self.save_before_preemption = save_before_preemption

    @functools.wraps(save_model)
    def new_save_model(self: Any, epoch: int, batch: int | None, logs: Any) -> None:
        if self.save_best_only and self.monitor_op is None:
            self._set_monitor_op()  # Keras does so at the end of the first epoch only
        if self.model._creation_strategy is None:
            save_model(self, epoch, batch, logs)
            return
        path = self._get_file_path(epoch, batch, logs)
        if self._should_save_model(epoch, batch, logs, path):
            save(self, path)
            if self.verbose > 0:
                keras_utils.io_utils.print_msg(f"\nEpoch {epoch + 1}: finished saving model to {path}")

    cls.__init__, cls.save_before_preemption, checkpoint._save_model = new_init, False, new_save_model
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
