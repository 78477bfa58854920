"""Callbacks that change the learning rate, which logs and history call `lr`, as TensorFlow 2.15 does."""

from typing import Any

import keras

from stratagem._base.exports import exported


def _renamed(logs: dict[str, Any] | None) -> None:
    if logs is not None and "learning_rate" in logs:
        logs["lr"] = logs.pop("learning_rate")


@exported("keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(keras.callbacks.LearningRateScheduler):  # type: ignore[misc]
    """Sets the learning rate of an epoch to what a function of the epoch and the present one returns."""

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Adds `lr` to the logs."""
        super().on_epoch_end(epoch, logs)
        _renamed(logs)


@exported("keras.callbacks.ReduceLROnPlateau")
class ReduceLROnPlateau(keras.callbacks.ReduceLROnPlateau):  # type: ignore[misc]
    """Reduces the learning rate when a number of the logs no longer improves."""

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Adds `lr` to the logs, the one with which the epoch was trained."""
        super().on_epoch_end(epoch, logs)
        _renamed(logs)
