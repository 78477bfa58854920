"""Frees a task from a collective that waits for a task that is gone: shuts the connections between the tasks down."""

import contextlib
import gc
import os
import socket
from collections.abc import Iterable


def addresses_of(hosts: Iterable[str]) -> frozenset[str]:
    """All IP addresses of these hosts."""
    found: set[str] = set()
    for host in hosts:
        with contextlib.suppress(OSError):  # a host without an address has no connections either
            found.update(str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))
    return frozenset(found)


def sever(addresses: frozenset[str]) -> None:
    """Shut down every TCP connection of this process to these addresses that no Python socket owns.

    The collectives' connections belong to XLA, which has no call to give them up. Whoever waits in one gets an error.
    """
    ours = {
        s.fileno() for s in gc.get_objects() if issubclass(type(s), socket.socket)
    }  # isinstance runs code of proxies
    for handle in _sockets():
        if handle not in ours:
            _shut(handle, addresses)


def _sockets() -> list[int]:
    found: list[int] = []
    if not os.path.isdir("/proc/self/fd"):
        return found  # the task ends by itself a little later
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                found.append(int(name))
    return found


def _shut(handle: int, addresses: frozenset[str]) -> None:
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(handle)) as connection:
        internet = connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM
        if internet and connection.getpeername()[0].removeprefix("::ffff:") in addresses:
            connection.shutdown(socket.SHUT_RDWR)
