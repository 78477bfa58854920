"""Ends a task's wait in a collective with a task that has ended, by shutting down the connections between the tasks."""

import contextlib
import os
import socket
from collections.abc import Iterator

Address = tuple[str, int]  # IP address and port

_INTERNET = (socket.AF_INET, socket.AF_INET6)


def listening() -> set[Address]:
    """Returns the addresses at which this process listens."""
    return {
        _plain(each.getsockname())
        for each in _sockets()
        if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and each.family in _INTERNET
    }


def abort_connections(ends: frozenset[Address]) -> None:
    """Shuts down every connection of this process that has one of these ends, at which collectives of a task listen.

    The connections belong to XLA, which has no function to close them. A thread that waits in one gets an error.
    """
    for each in _sockets():
        with contextlib.suppress(OSError):  # it is not connected, or not any more
            if each.family in _INTERNET:
                pair = _plain(each.getpeername()), _plain(each.getsockname())
                if not ends.isdisjoint(pair):
                    each.shutdown(socket.SHUT_RDWR)


def _sockets() -> Iterator[socket.socket]:
    """Yields every stream socket of this process, also of libraries; each is open until the next one."""
    if not os.path.isdir("/proc/self/fd"):
        return  # not Linux; the task ends by itself a little later
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                with socket.socket(fileno=os.dup(int(name))) as found:
                    if found.type == socket.SOCK_STREAM:
                        yield found


def _plain(name: tuple[str, int]) -> Address:
    return name[0].removeprefix("::ffff:"), name[1]
