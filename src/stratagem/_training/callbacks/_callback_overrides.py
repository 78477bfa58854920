"""Overrides methods of Keras' callbacks whose work a fit does itself; all others are left unchanged."""

from collections.abc import Callable
from typing import Any

import keras

from stratagem._private import intercept_callbacks
from stratagem._training.callbacks._model_saving import save_model

Method = Callable[..., Any]


def _left_to_the_fit(callback: Any, original: Method) -> Method:
    """The fit itself makes and restores backups, before or after all callbacks."""
    return _nothing


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Does nothing."""


def _epoch_end(callback: Any, original: Method) -> Method:
    def note(epoch: int, logs: Any = None) -> None:
        callback._epoch_has_ended = callback.save_freq == "epoch"

    return note


def attach_callbacks() -> None:
    """Route the hooks of callbacks whose work a fit does itself."""
    keras.callbacks.BackupAndRestore._epoch_has_ended = False
    intercept_callbacks(
        backup={
            "on_train_begin": _left_to_the_fit,
            "on_train_batch_end": _left_to_the_fit,
            "on_train_end": _left_to_the_fit,
            "on_epoch_end": _epoch_end,
        },
        save=save_model,
    )
