"""LoopHooks: what is done around the steps of one pass over data."""

from collections.abc import Callable
from typing import Any


class LoopHooks:
    """Nothing is done, and the pass begins with the first batch; `fit` has hooks of its own (`Fit`).

    step: how many steps were taken before; logs: those after the last of them.
    """

    def __init__(self) -> None:
        self.step = 0
        self.logs: dict[str, Any] = {}

    def run(self, step: Callable[[], bool]) -> bool:
        """Take the next steps; False if there was none to take."""
        return step()

    def stepped(self, taken: int, logs: Any) -> None:
        """So many steps of the epoch were taken by now, and the last one gave these logs."""
