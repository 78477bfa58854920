"""Prefetched: values for a worker's next step that came with its last push, and when they are good enough."""

from collections.abc import Mapping, Sequence
from typing import Any, final

# By server: how many pushes it had applied, and the values after them.
Brought = Mapping[int, tuple[int, Sequence[Any]]]


@final
class Freshness:
    """Decides whether what the last push brought shows all that the next step has to see.

    That is what was done before its function was scheduled; what happens later has no order that a user could rely on. The
    coordinator counts changes, and what it had counted when it asked for the last step is in what that step brought.
    """

    def __init__(self) -> None:
        self._needed, self._asked = 0, -1

    def need(self, changes: int) -> None:
        """The next step has to see so many changes."""
        self._needed = changes

    def ask(self, changes: int) -> bool:
        """A step is asked for now, after so many changes: may it use what the last one brought?"""
        fresh = self._needed <= self._asked
        self._asked = changes
        return fresh


@final
class Prefetched:
    """What the last step of a worker brought. more: whether another step is likely to follow at once."""

    def __init__(self) -> None:
        self.more = False
        self._plan: Any = None
        self._brought: Brought = {}

    def keep(self, plan: Any, brought: Brought) -> None:
        """For the next step, if it is of the same plan, which is kept no longer than what it brought."""
        self._plan, self._brought = plan if brought else None, brought

    def take(self, plan: Any) -> Brought:
        """What there is for a step of this plan: used once."""
        brought = self._brought if self._plan is plan else {}
        self._plan, self._brought = None, {}
        return brought
