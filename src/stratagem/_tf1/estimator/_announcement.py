"""A file in model_dir by which the chief tells the evaluator that training is going on, or that it is over."""

import contextlib
import logging
import os
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Final, final

from stratagem._base.errors import UnavailableError
from stratagem._base.storage import file_system
from stratagem._cluster.control import TimeLimits

_log = logging.getLogger("stratagem.estimator")

_FILE: Final = "training_state"
_TRAINING, _OVER = "training", "over"
_POLL_SECONDS = 0.5
_STALE_END_SECONDS = 60.0
_HEARTBEAT_SECONDS = 30.0


@contextlib.contextmanager
def announced(model_dir: str) -> Iterator[None]:
    """Announces, while the body runs, that training is going on, with a heartbeat every half minute.

    The end is announced only if the body does not raise.
    """
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(_HEARTBEAT_SECONDS):
            with contextlib.suppress(OSError):  # the evaluator notices a missing heartbeat
                _write(model_dir, _TRAINING)

    _write(model_dir, _TRAINING)
    heartbeat = threading.Thread(target=beat, name="stratagem heartbeat", daemon=True)
    heartbeat.start()
    try:
        yield
    finally:
        ended.set()
        heartbeat.join()
    _write(model_dir, _OVER)


@final
class ChiefMonitor:
    """The evaluator's view of the chief's file.

    An end announced before the watch began may be that of an earlier training in the same directory. It counts only if no
    training has begun within a minute.
    """

    def __init__(self, model_dir: str) -> None:
        self._path = os.path.join(model_dir, _FILE)
        # The chief's machine may have other limits: three heartbeats at least, which a healthy training does not miss.
        self._limit = max(TimeLimits.from_environment(os.environ).rejoin, 3 * _HEARTBEAT_SECONDS)
        self._first, self._began = self._read(), time.monotonic()
        self._last, self._heard = self._first, self._began
        if not self._first:
            _log.info(
                "The evaluator waits for the chief to begin a training in %s; it gives up after %g s without a sign of it.",
                model_dir,
                self._limit,
            )

    def is_over(self) -> bool:
        """Returns True if no more checkpoints will come.

        Raises UnavailableError if there has been no heartbeat for the time after which a task counts as lost.
        """
        found, now = self._read(), time.monotonic()
        if found.startswith(_OVER) and (found != self._first or now - self._began > _STALE_END_SECONDS):
            return True
        if found != self._last:
            self._last, self._heard = found, now
        elif now - self._heard > self._limit:
            raise UnavailableError(
                f"The evaluator has waited {self._limit:g} s for a sign of a training in {os.path.dirname(self._path)}: its "
                f"chief {'has not begun' if not found else 'was lost, or has failed'}. Start it again, then the evaluator. "
                "STRATAGEM_REJOIN_SECONDS changes the limit."
            )
        return False

    def wait(self, seconds: float) -> None:
        """Sleeps for `seconds`, or until training is over. Raises as `is_over`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.is_over():
            time.sleep(min(left, _POLL_SECONDS))

    def _read(self) -> str:
        try:
            return file_system(self._path).read(self._path).decode()
        except FileNotFoundError:
            return ""


def _write(model_dir: str, state: str) -> None:
    """Replaces the file. No two have the same text, so that a new training can be told from an old one."""
    files = file_system(model_dir)
    files.make_directories(model_dir)
    files.write(os.path.join(model_dir, _FILE), f"{state} {uuid.uuid4().hex}\n".encode())
