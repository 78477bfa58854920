"""SecondOrStepTimer: decides when something that is done every so many steps or seconds is due."""

import time
from typing import final

from stratagem._base.exports import exported


@exported("estimator.SecondOrStepTimer", v1=["estimator.SecondOrStepTimer", "train.SecondOrStepTimer"])
@final
class SecondOrStepTimer:
    """A timer that is due at the first step, then every `every_steps` or `every_secs`, as `tf.train.SecondOrStepTimer`.

    Raises ValueError unless exactly one of the two is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Makes the timer due at the next step."""
        self._last_step: int | None = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns True if it is due at this step; at most once for each step."""
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        assert self._every_steps is not None
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Records this step. Returns the seconds and steps since the previous one; (None, None) at the first."""
        now = time.time()
        elapsed = (None, None) if self._last_step is None else (now - self._last_time, step - self._last_step)
        self._last_step, self._last_time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        """Returns the last recorded step; None before the first."""
        return self._last_step


@final
class NeverTimer:
    """A timer that is never due."""

    def reset(self) -> None:
        """Has no effect."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns False."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[None, None]:
        """Returns (None, None)."""
        return None, None

    def last_triggered_step(self) -> None:
        """Returns None."""
        return
