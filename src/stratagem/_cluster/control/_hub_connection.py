"""HubConnection: a supervisor's connection to the hub."""

import asyncio
import time
from typing import final

from stratagem._cluster.control._channel import Channel, Message

_ENDED = "The connection to its supervisor ended: its machine or the network is gone."
_SILENT = "Nothing was heard from its supervisor: its machine or the network is gone."
_CLOSE_SECONDS = 5.0


@final
class HubConnection:
    """Messages from and to the hub. reason: why the connection ended. silent_seconds: for how long nothing had come by then."""

    def __init__(self, channel: Channel, heartbeat: float) -> None:
        self.reason = _ENDED
        self.silent_seconds = 0.0
        self._channel = channel
        self._heartbeat = heartbeat
        self._last_received = time.monotonic()
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    def send(self, message: Message) -> None:
        """Queues a message."""
        self._channel.send(message)

    async def next(self) -> Message | None:
        """Returns the next message; None at the end, or after a call of `wake`."""
        return await self._inbox.get()

    def wake(self) -> None:
        """Lets a wait for a message return None."""
        self._inbox.put_nowait(None)

    def check(self, *, overslept: bool) -> None:
        """Ends the connection if nothing has come for too long.

        overslept: this machine was asleep, so that the time starts again.
        """
        now = time.monotonic()
        if overslept:
            self._last_received = now
        elif now - self._last_received > self._heartbeat and not self.silent_seconds:
            self.reason, self.silent_seconds = _SILENT, now - self._last_received
            self._channel.abort()

    async def close(self) -> None:
        """Ends the connection when all messages were sent."""
        self._channel.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._channel.writer.wait_closed()
        except OSError:  # the hub has ended, or does not read any more
            self._channel.abort()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        try:
            while True:
                message = await self._channel.receive()
                self._last_received = time.monotonic()
                if message.get("op") != "beat":
                    self._inbox.put_nowait(message)
        except (OSError, asyncio.IncompleteReadError):
            self.wake()
