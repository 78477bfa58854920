"""A supervisor's connection to the hub: what came over it, and when something came last."""

import asyncio
import time
from typing import final

from stratagem._cluster.control._wire import Channel, Message

_ENDED = "The connection to its supervisor ended: its machine or the network is gone."
_SILENT = "Nothing was heard from its supervisor: its machine or the network is gone."
_CLOSE_SECONDS = 5.0


@final
class Upstream:
    """`why` says in words why it ended, `silent` for how many seconds nothing had come then."""

    def __init__(self, channel: Channel, heartbeat: float) -> None:
        self.why = _ENDED
        self.silent = 0.0
        self._channel = channel
        self._heartbeat = heartbeat
        self._heard = time.monotonic()
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    def send(self, message: Message) -> None:
        """Queue a message."""
        self._channel.send(message)

    async def next(self) -> Message | None:
        """The next message; None at the end, or when somebody calls `wake`."""
        return await self._inbox.get()

    def wake(self) -> None:
        """Whoever waits for a message gets None."""
        self._inbox.put_nowait(None)

    def check(self, *, overslept: bool) -> None:
        """End the connection if nothing has come for too long. overslept: this machine did not look, so it begins anew."""
        now = time.monotonic()
        if overslept:
            self._heard = now
        elif now - self._heard > self._heartbeat and not self.silent:
            self.why, self.silent = _SILENT, now - self._heard
            self._channel.abort()

    async def close(self) -> None:
        """End the connection once everything has left."""
        self._channel.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._channel.writer.wait_closed()
        except OSError:  # the hub has gone first, or does not read any more
            self._channel.abort()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        try:
            while True:
                message = await self._channel.receive()
                self._heard = time.monotonic()
                if message.get("op") != "beat":
                    self._inbox.put_nowait(message)
        except (OSError, asyncio.IncompleteReadError):
            self.wake()
