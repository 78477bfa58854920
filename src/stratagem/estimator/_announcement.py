"""What the chief tells the evaluator, in a file of model_dir: that training goes on, or that it is over."""

import os
import time
import uuid
from pathlib import Path
from typing import Final, final

_FILE: Final = "training_state"
_TRAINING, _OVER = "training", "over"
_POLL_SECONDS = 0.5
_BELIEF_SECONDS = 60.0


def announce_training(model_dir: str) -> None:
    """Training begins: more checkpoints will come."""
    _write(model_dir, _TRAINING)


def announce_end(model_dir: str) -> None:
    """The last checkpoint is there."""
    _write(model_dir, _OVER)


@final
class Watch:
    """The evaluator's look at the chief's file.

    An end that was announced before the watch began may be that of an earlier training in the same directory: it is believed
    when no training has begun for a minute.
    """

    def __init__(self, model_dir: str) -> None:
        self._path = Path(model_dir) / _FILE
        self._first, self._began = self._read(), time.monotonic()

    def is_over(self) -> bool:
        """True if no more checkpoints will come."""
        found = self._read()
        if not found.startswith(_OVER):
            return False
        return found != self._first or time.monotonic() - self._began > _BELIEF_SECONDS

    def wait(self, seconds: float) -> None:
        """Sleep so long, but no longer than training goes on."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.is_over():
            time.sleep(min(left, _POLL_SECONDS))

    def _read(self) -> str:
        return self._path.read_text() if self._path.exists() else ""


def _write(model_dir: str, state: str) -> None:
    """The file is replaced as a whole. No two have the same text, so that a new training is told from an old one."""
    folder = Path(model_dir)
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f".{_FILE}.{uuid.uuid4().hex}"
    new.write_text(f"{state} {uuid.uuid4().hex}\n")
    os.replace(new, folder / _FILE)
