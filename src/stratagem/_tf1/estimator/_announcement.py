"""What the chief tells the evaluator, in a file of model_dir: that training goes on, or that it is over."""

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final, final

from stratagem._base.errors import UnavailableError
from stratagem._base.files import write_text
from stratagem._cluster.control import Limits

_FILE: Final = "training_state"
_TRAINING, _OVER = "training", "over"
_POLL_SECONDS = 0.5
_BELIEF_SECONDS = 60.0
_SIGN_SECONDS = 30.0


@contextlib.contextmanager
def announced(model_dir: str) -> Iterator[None]:
    """In the body training goes on, of which there is a sign every half minute. Its end is not announced after an error."""
    ended = threading.Event()

    def give_signs() -> None:
        while not ended.wait(_SIGN_SECONDS):
            with contextlib.suppress(OSError):  # a sign that is missing says what there is to say
                _write(model_dir, _TRAINING)

    _write(model_dir, _TRAINING)
    signs = threading.Thread(target=give_signs, name="stratagem signs", daemon=True)
    signs.start()
    try:
        yield
    finally:
        ended.set()
        signs.join()
    _write(model_dir, _OVER)


@final
class Watch:
    """The evaluator's look at the chief's file.

    An end that was announced before the watch began may be that of an earlier training in the same directory: it is believed
    when no training has begun for a minute.
    """

    def __init__(self, model_dir: str) -> None:
        self._path = Path(model_dir) / _FILE
        # Signs come from another machine, whose limits may be others: never so short that a healthy training misses it.
        self._limit = max(Limits.from_environment(os.environ).rejoin, 3 * _SIGN_SECONDS)
        self._first, self._began = self._read(), time.monotonic()
        self._last, self._heard = self._first, self._began

    def is_over(self) -> bool:
        """True if no more checkpoints will come.

        Raises UnavailableError: there is no sign of a training, or no more, for as long as a lost task is waited for.
        """
        found, now = self._read(), time.monotonic()
        if found.startswith(_OVER) and (found != self._first or now - self._began > _BELIEF_SECONDS):
            return True
        if found != self._last:
            self._last, self._heard = found, now
        elif now - self._heard > self._limit:
            raise UnavailableError(
                f"The evaluator has waited {self._limit:g} s for a sign of a training in {self._path.parent}: its chief "
                f"{'has not begun' if not found else 'was lost, or has failed'}. Start it again, then the evaluator. "
                "STRATAGEM_REJOIN_SECONDS changes the limit."
            )
        return False

    def wait(self, seconds: float) -> None:
        """Sleep so long, but no longer than training goes on. Raises what `is_over` does."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.is_over():
            time.sleep(min(left, _POLL_SECONDS))

    def _read(self) -> str:
        return self._path.read_text() if self._path.exists() else ""


def _write(model_dir: str, state: str) -> None:
    """Replaces the file. No two have the same text, so that a new training is told from an old one."""
    folder = Path(model_dir)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / _FILE, f"{state} {uuid.uuid4().hex}\n")
