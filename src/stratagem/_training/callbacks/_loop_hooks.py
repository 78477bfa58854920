"""LoopHooks: the actions around the steps of one pass over data."""

from collections.abc import Callable
from typing import Any


class LoopHooks:
    """Hooks that do nothing, for a pass that begins with the first batch; `fit` has its own (`Fit`).

    step: the number of steps that were taken before; logs: those after the last of them.
    """

    def __init__(self) -> None:
        self.step = 0
        self.logs: dict[str, Any] = {}

    def run(self, step: Callable[[], bool]) -> bool:
        """Takes the next steps; returns False if there were none."""
        return step()

    def stepped(self, taken: int, logs: Any) -> None:
        """Called after steps: so many of the epoch have been taken by now, and the last one returned these logs."""
