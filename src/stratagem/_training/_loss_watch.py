"""LossWatch: warns when the loss of a fit becomes NaN or infinite, without waiting for a step."""

import logging
import time
from typing import Any, final

import numpy as np

_log = logging.getLogger("stratagem")
_SECONDS_BETWEEN_CHECKS = 1.0


@final
class LossWatch:
    """Watches one epoch (from 0) under the strategy's policy. The logged loss is a running mean, so it stays non-finite."""

    def __init__(self, policy: str, epoch: int) -> None:
        self._done = policy == "ignore"
        self._epoch, self._checked_at = epoch, time.monotonic()
        self._before: tuple[int, Any] = (0, None)

    def __call__(self, taken: int, logs: Any, *, ended: bool = False) -> None:
        """Receives the logs after a step: warns if the loss is not finite, once an epoch.

        Checks the logs of the previous call, at most once a second and only if they are already computed; when the
        epoch has `ended`, checks the given ones.
        """
        (step, loss), self._before = self._before, (taken, logs.get("loss") if isinstance(logs, dict) else None)
        if ended:
            step, loss = self._before
        elif time.monotonic() - self._checked_at < _SECONDS_BETWEEN_CHECKS or not _is_ready(loss):
            return
        self._checked_at = time.monotonic()
        if self._done or loss is None or np.isfinite(np.asarray(loss)).all():
            return
        self._done = True
        _log.warning(
            "The loss is not finite: %s after step %d of epoch %d. Lower the learning rate, clip gradients, or look for log(0) "
            "and division by 0. keras.callbacks.TerminateOnNaN() ends the fit then, strategy.non_finite = 'stop' is an error.",
            np.asarray(loss), step, self._epoch + 1,
        )  # fmt: skip


def _is_ready(value: Any) -> bool:
    """Returns whether an array has been computed."""
    return bool(value.is_ready()) if hasattr(value, "is_ready") else True
