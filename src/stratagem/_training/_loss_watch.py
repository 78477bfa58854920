"""LossWatch: says that the loss of a fit is no number any more, without waiting for a step."""

import logging
import time
from typing import Any, final

import numpy as np

_log = logging.getLogger("stratagem")
_SECONDS_BETWEEN_LOOKS = 1.0


@final
class LossWatch:
    """For one epoch, from 0, of a strategy with this policy. The loss in the logs is a mean, and so stays as it is."""

    def __init__(self, policy: str, epoch: int) -> None:
        self._done = policy == "ignore"
        self._epoch, self._looked = epoch, time.monotonic()
        self._before: tuple[int, Any] = (0, None)

    def __call__(self, taken: int, logs: Any, *, ended: bool = False) -> None:
        """After so many steps of the epoch these are the logs: warn if the loss is not finite, once an epoch.

        Looks at those of the call before, at most once a second, and not if they are still being computed; in the `ended`
        epoch at these.
        """
        (step, loss), self._before = self._before, (taken, logs.get("loss") if isinstance(logs, dict) else None)
        if ended:
            step, loss = self._before
        elif time.monotonic() - self._looked < _SECONDS_BETWEEN_LOOKS or not _is_there(loss):
            return
        self._looked = time.monotonic()
        if self._done or loss is None or np.isfinite(np.asarray(loss)).all():
            return
        self._done = True
        _log.warning(
            "The loss is not finite: %s after step %d of epoch %d. Lower the learning rate, clip gradients, or look for log(0) "
            "and division by 0. keras.callbacks.TerminateOnNaN() ends the fit then, strategy.non_finite = 'stop' is an error.",
            np.asarray(loss), step, self._epoch + 1,
        )  # fmt: skip


def _is_there(value: Any) -> bool:
    """False for an array that is still being computed."""
    return bool(value.is_ready()) if hasattr(value, "is_ready") else True
