"""Carries connections to the coordination service: from a task's client through its supervisor and the hub's, as bytes.

JAX's client aborts its process when its connection ends. So the task itself accepts that connection, passes it to its
supervisor and also holds it open: if another process is killed, the client notices nothing, and the task can raise an
error.
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
    """Forwards bytes in both directions until either end closes; closes both."""

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
class ConnectionAcceptor:
    """A task's side: a thread that accepts connections and passes them to the supervisor.

    listener: a socket that the supervisor binds. The supervisor gets `listener` and `receiver`.
    """

    def __init__(self) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sender, self.receiver = socket.socketpair()
        self._open: list[int] = []  # handles: Python would close sockets at its end, while the client still lives
        self._thread = threading.Thread(target=self._serve, name="stratagem acceptor", daemon=True)

    def start(self) -> None:
        """Starts the thread, once the supervisor has bound the listener."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and all connections."""
        with contextlib.suppress(OSError):  # it listens only once the supervisor has bound it
            self.listener.shutdown(socket.SHUT_RDWR)
        if self._thread.ident is not None:
            self._thread.join()
        for each in (self.listener, self._sender):
            each.close()
        for handle in self._open:
            os.close(handle)

    def _serve(self) -> None:
        # After `close`, and after the end of the supervisor, no connection is needed any more.
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self._open.append(connection.detach())
                socket.send_fds(self._sender, [b"c"], [self._open[-1]])


@final
class ConnectionForwarder:
    """A supervisor's side: connects the connections that the task has accepted to the service."""

    def __init__(self, listener: socket.socket, receiver: socket.socket) -> None:
        self.path = ""
        self._listener, self._receiver = listener, receiver
        self._tunnels: set[asyncio.Task[None]] = set()

    def open(self, folder: Path, connect: Callable[[], Awaitable[Streams | None]]) -> None:
        """Lets the task accept connections at `path`.

        connect: connects to the service; returns None if that is not needed any more.
        """
        self.path = str(folder / "tunnel")
        self._listener.bind(self.path)
        self._listener.listen()
        self._listener.close()  # the task accepts connections with its own copy
        asyncio.get_running_loop().add_reader(self._receiver, self._receive, connect)

    async def close(self) -> None:
        """Ends all tunnels."""
        asyncio.get_running_loop().remove_reader(self._receiver)
        self._receiver.close()
        for tunnel in self._tunnels:
            tunnel.cancel()
        await asyncio.gather(*self._tunnels, return_exceptions=True)

    def _receive(self, connect: Callable[[], Awaitable[Streams | None]]) -> None:
        data, handles, _, _ = socket.recv_fds(self._receiver, 1, 1)
        if not data:
            asyncio.get_running_loop().remove_reader(self._receiver)
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
