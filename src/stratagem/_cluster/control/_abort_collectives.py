"""Frees a task from a collective that waits for a task that is gone: shuts the connections between the tasks down."""

import contextlib
import os
import socket
from collections.abc import Iterator

Address = tuple[str, int]  # IP address and port

_INTERNET = (socket.AF_INET, socket.AF_INET6)


def listening() -> set[Address]:
    """Where this process listens."""
    return {
        _plain(one.getsockname())
        for one in _sockets()
        if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and one.family in _INTERNET
    }


def abort_connections(ends: frozenset[Address]) -> None:
    """Shut down every connection of this process that has one of these ends: where the collectives of some task listen.

    The connections belong to XLA, which has no call to give them up. Whoever waits in one gets an error.
    """
    for one in _sockets():
        with contextlib.suppress(OSError):  # it is not connected, or not any more
            if one.family in _INTERNET and not ends.isdisjoint((_plain(one.getpeername()), _plain(one.getsockname()))):
                one.shutdown(socket.SHUT_RDWR)


def _sockets() -> Iterator[socket.socket]:
    """Every stream socket of this process, whoever owns it; each is open until the next."""
    if not os.path.isdir("/proc/self/fd"):
        return  # the task ends by itself a little later
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                with socket.socket(fileno=os.dup(int(name))) as one:
                    if one.type == socket.SOCK_STREAM:
                        yield one


def _plain(name: tuple[str, int]) -> Address:
    return name[0].removeprefix("::ffff:"), name[1]
