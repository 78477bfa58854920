"""Callbacks of TensorFlow Addons."""

import time
from typing import Any

import keras

from stratagem._base.exports import exported


@exported("addons.callbacks.TimeStopping")
class TimeStopping(keras.callbacks.Callback):  # type: ignore[misc]
    """Stops a fit at the end of the epoch in which it has taken so many seconds. verbose: whether to print that."""

    def __init__(self, seconds: int = 86400, verbose: int = 0) -> None:
        super().__init__()
        self.seconds, self.verbose = seconds, verbose
        self.stopping_time = 0.0
        self.stopped_epoch: int | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Called by Keras."""
        self.stopping_time = time.time() + self.seconds

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called by Keras."""
        if time.time() >= self.stopping_time:
            self.model.stop_training = True
            self.stopped_epoch = epoch

    def on_train_end(self, logs: Any = None) -> None:
        """Called by Keras."""
        if self.stopped_epoch is not None and self.verbose > 0:
            print(f"Timed stopping at epoch {self.stopped_epoch + 1} after training for {self.seconds} s")

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {"seconds": self.seconds, "verbose": self.verbose}
