"""Overrides methods of Keras' callbacks of models that were made under a strategy; all others are left unchanged."""

from collections.abc import Callable
from typing import Any

import keras

from stratagem._private import intercept_callbacks
from stratagem._training.callbacks._model_saving import save_model

Method = Callable[..., Any]


def _only_without_strategy(callback: Any, original: Method) -> Method:
    return original if callback.model._creation_strategy is None else _nothing


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Does nothing: the fit itself makes and restores backups, before or after all callbacks."""


def _epoch_end(callback: Any, original: Method) -> Method:
    if callback.model._creation_strategy is None:
        return original

    def note(epoch: int, logs: Any = None) -> None:
        callback._epoch_has_ended = callback.save_freq == "epoch"

    return note


def attach_callbacks() -> None:
    """Route the hooks of callbacks whose work a fit under a strategy does itself."""
    keras.callbacks.BackupAndRestore._epoch_has_ended = False
    intercept_callbacks(
        backup={
            "on_train_begin": _only_without_strategy,
            "on_train_batch_end": _only_without_strategy,
            "on_train_end": _only_without_strategy,
            "on_epoch_end": _epoch_end,
        },
        save=save_model,
    )
