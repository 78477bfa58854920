# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.callbacks import Callback as _callbacks_Callback

__all__ = [
    "TimeStopping"
]  # fmt: skip

class TimeStopping(_callbacks_Callback):
    seconds: Any
    stopped_epoch: Any
    stopping_time: Any
    verbose: Any
    def __init__(self, seconds: int = 86400, verbose: int = 0) -> None: ...
    def on_train_begin(self, logs: Any = None) -> None: ...
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None: ...
    def on_train_end(self, logs: Any = None) -> None: ...
    def get_config(self) -> Any: ...
