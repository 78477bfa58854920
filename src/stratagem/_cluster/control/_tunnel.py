"""The way to the coordination service: from a task's client through its supervisor, and through the hub's, as bytes.

JAX's client aborts its process when its connection ends. So the task itself accepts that connection, hands it to its supervisor
and keeps a handle of it: whoever is killed, the client sees silence, and the task has the time to raise what happened.
"""

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import final

from stratagem._base.errors import ClusterError

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def pipe(one: Streams, other: Streams) -> None:
    """Pass bytes on in both directions until either end closes; close both."""

    async def one_way(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while block := await source.read(1 << 16):
                target.write(block)
                await target.drain()
        finally:
            target.close()

    try:
        await asyncio.gather(one_way(one[0], other[1]), one_way(other[0], one[1]), return_exceptions=True)
    finally:
        for _, writer in (one, other):
            writer.close()


@final
class Doorman:
    """A task's side: a thread that accepts connections and hands them to the supervisor.

    listener: a socket that the supervisor binds; handle it and `taker` on to it.
    """

    def __init__(self) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._giver, self.taker = socket.socketpair()
        self._kept: list[int] = []  # not sockets, which Python closes while it ends and the client still lives
        self._thread = threading.Thread(target=self._serve, name="stratagem doorman", daemon=True)

    def start(self) -> None:
        """Begin, once the supervisor has bound the listener."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and all connections."""
        with contextlib.suppress(OSError):  # it listens only once the supervisor has bound it
            self.listener.shutdown(socket.SHUT_RDWR)
        if self._thread.ident is not None:
            self._thread.join()
        for each in (self.listener, self._giver):
            each.close()
        for handle in self._kept:
            os.close(handle)

    def _serve(self) -> None:
        with contextlib.suppress(
            OSError
        ):  # closed, or the supervisor has gone: then nobody needs a connection any more
            while True:
                connection, _ = self.listener.accept()
                self._kept.append(connection.detach())
                socket.send_fds(self._giver, [b"c"], [self._kept[-1]])


@final
class Door:
    """A supervisor's side of a `Doorman`: it connects what the task has accepted with the service."""

    def __init__(self, listener: socket.socket, taker: socket.socket) -> None:
        self.path = ""
        self._listener, self._taker = listener, taker
        self._tunnels: set[asyncio.Task[None]] = set()

    def open(self, folder: Path, connect: Callable[[], Awaitable[Streams | None]]) -> None:
        """Let the task accept connections at `path`. connect: reaches the service; None when nobody needs it any more."""
        self.path = str(folder / "door")
        self._listener.bind(self.path)
        self._listener.listen()
        self._listener.close()  # the task accepts
        asyncio.get_running_loop().add_reader(self._taker, self._take, connect)

    async def close(self) -> None:
        """End all tunnels."""
        asyncio.get_running_loop().remove_reader(self._taker)
        self._taker.close()
        for tunnel in self._tunnels:
            tunnel.cancel()
        await asyncio.gather(*self._tunnels, return_exceptions=True)

    def _take(self, connect: Callable[[], Awaitable[Streams | None]]) -> None:
        data, handles, _, _ = socket.recv_fds(self._taker, 1, 1)
        if not data:
            asyncio.get_running_loop().remove_reader(self._taker)
        for handle in handles:
            tunnel = asyncio.create_task(_tunnel(socket.socket(fileno=handle), connect))
            self._tunnels.add(tunnel)
            tunnel.add_done_callback(self._tunnels.discard)


async def _tunnel(connection: socket.socket, connect: Callable[[], Awaitable[Streams | None]]) -> None:
    task = await asyncio.open_connection(sock=connection)
    try:
        with contextlib.suppress(OSError, ClusterError):  # the client waits for an answer, up to its own limit
            service = await connect()
            if service is not None:
                await pipe(task, service)
    finally:
        task[1].close()
