"""StartRefusal: the reason why a job cannot begin, and the tasks that were informed of it."""

import asyncio
import contextlib
from typing import Any, final

from stratagem._cluster.control._channel import Message


@final
class StartRefusal:
    """The state of a job that may not be able to begin. reason: the hub's refusal once a task will never join, else None."""

    def __init__(self, tasks: int) -> None:
        self.reason: Message | None = None
        self._uninformed = set(range(tasks))
        self._all_informed = asyncio.Event()

    @property
    def refusal(self) -> Message | None:
        """The refusal for a task that connects later."""
        return self.reason and {name: self.reason[name] for name in ("text", "again") if name in self.reason}

    def note_informed(self, rank: Any) -> None:
        """Notes that a task got a refusal. rank: as the task gave it."""
        if self.reason is not None and isinstance(rank, int):
            self._uninformed.discard(rank)
            if not self._uninformed:
                self._all_informed.set()

    async def wait_until_informed(self, seconds: float) -> None:
        """Waits until all tasks were informed, at most so long.

        Does not wait if a task has merely ended: then the tasks of the next job may come soon.
        """
        if self.reason is not None and "again" not in self.reason:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._all_informed.wait()
