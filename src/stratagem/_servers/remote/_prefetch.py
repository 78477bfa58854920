"""PrefetchedValues: values for a worker's next step, read together with its last push; Freshness: whether they may be used."""

from collections.abc import Mapping
from typing import Any, final

from stratagem._servers.remote._server_messages import ReadReply

ReadsByServer = Mapping[int, ReadReply]


@final
class StalenessCheck:
    """Decides whether prefetched values include all changes that the next step has to see.

    A step has to see the changes made before its function was scheduled; later ones have no order that a user could
    rely on. The coordinator counts changes. Values prefetched by a step include all changes counted when that step
    began.
    """

    def __init__(self) -> None:
        self._required, self._included = 0, -1

    def require(self, changes: int) -> None:
        """Sets the number of changes that the next step has to see."""
        self._required = changes

    def begin_step(self, changes: int) -> bool:
        """Notes that a step begins after this many changes; returns whether it may use the prefetched values."""
        fresh = self._required <= self._included
        self._included = changes
        return fresh


@final
class PrefetchedValues:
    """Holds the values that came with a worker's last push, for its next step.

    expects_step: whether another step is likely to follow at once, so that prefetching for it pays.
    """

    def __init__(self) -> None:
        self.expects_step = False
        self._plan: Any = None
        self._values: ReadsByServer = {}

    def store(self, plan: Any, values: ReadsByServer) -> None:
        """Stores values for the next step of this plan. Without values, no reference to the plan is held."""
        self._plan, self._values = plan if values else None, values

    def take(self, plan: Any) -> ReadsByServer:
        """Empties the buffer; returns its values if they are for this plan."""
        values = self._values if self._plan is plan else {}
        self._plan, self._values = None, {}
        return values
