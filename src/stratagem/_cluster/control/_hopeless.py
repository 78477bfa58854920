"""A job that cannot begin: why, and who of its tasks was told."""

import asyncio
import contextlib
from typing import Any, final

from stratagem._cluster.control._wire import Message


@final
class Hopeless:
    """Of a job of so many tasks. `why` is the hub's refusal once one of them will never be there."""

    def __init__(self, tasks: int) -> None:
        self.why: Message | None = None
        self._left = set(range(tasks))
        self._all_told = asyncio.Event()

    @property
    def refusal(self) -> Message | None:
        """To a task that comes later."""
        return self.why and {name: self.why[name] for name in ("text", "again") if name in self.why}

    def told(self, rank: Any) -> None:
        """A task has heard a refusal. rank: as it said itself."""
        if self.why is not None and isinstance(rank, int):
            self._left.discard(rank)
            if not self._left:
                self._all_told.set()

    async def until_told(self, seconds: float) -> None:
        """Wait until all tasks were told, but for so long at most. Not if one has only ended: the next job's may come soon."""
        if self.why is not None and "again" not in self.why:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._all_told.wait()
