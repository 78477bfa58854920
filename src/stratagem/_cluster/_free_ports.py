"""Finds free ports for jobs on this machine, and reserves them among the processes of this user."""

import atexit
import errno
import os
import random
import socket
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

from stratagem._base.errors import ResourceExhaustedError

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 20_000  # Ray gives 10002 to 19999 to its workers by default
_random = random.SystemRandom()  # the same seed in two processes must not give the same ports
# Ports, the newest last, and the sockets whose names reserve them. A port is listened on soon after it was asked for, so the
# newest reservations are enough.
_reserved: dict[int, socket.socket] = {}
_MOST_RESERVED = 128
_CREDENTIALS = struct.Struct("iII")  # the process, the user and the group of a peer, see unix(7)


def free_ports(count: int) -> list[int]:
    """Returns `count` different ports of 127.0.0.1 that were free a moment ago, for the addresses of a TF_CONFIG.

    The system assigns ports of its own range to any outgoing connection, so these are from below that range. On Linux no
    process of this user is given a port that another has asked for and perhaps not used yet: each stays reserved until this
    process ends or has asked for 128 more. Other users' reservations do not count: they could reserve all ports.

    Raises ResourceExhaustedError if there are not as many.
    """
    found: list[int] = []
    ports = range(_LOWEST, _first_system_port())
    left = list(ports)
    while left and len(found) < count:
        place = _random.randrange(len(left))
        left[place], left[-1] = left[-1], left[place]
        if _is_free(port := left.pop()) and _reserve(port):
            found.append(port)
    if len(found) < count:
        _release(found)
        raise ResourceExhaustedError(
            f"free_ports: {count} ports are needed, and {len(found)} from {ports.start} to {ports.stop - 1} are free. "
            "Do older jobs still run?"
        )
    _release(list(_reserved)[: -max(count, _MOST_RESERVED)])
    return found


def _first_system_port() -> int:
    try:
        return max(int(_RANGE.read_text().split()[0]), _LOWEST + 1000)
    except FileNotFoundError:  # not Linux
        return 32768


def _reserve(port: int) -> bool:
    """Reserves a port for this process. Returns False if this user has reserved it before.

    A name of Linux' abstract sockets belongs to one process of the network namespace, which is what shares the ports, and is
    free again when that process ends, however it ends. Any user can take any name, so the system is asked whose it is.
    """
    if port in _reserved:
        return False
    one = socket.socket(socket.AF_UNIX)
    if sys.platform == "linux":
        name = f"\0stratagem-port-{port}"
        try:
            one.bind(name)
            one.listen()  # or nobody could ask whose it is
        except OSError as error:
            if error.errno == errno.EADDRINUSE and _owner(name) == os.geteuid():
                one.close()
                return False  # in all other cases the port is given without a name
    _reserved[port] = one
    return True


def _owner(name: str) -> int | None:
    """The user whose process listens at an abstract name; None if none does any more, or does not let itself be asked."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.setblocking(False)
        try:
            asking.connect(name)
            credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        except OSError:
            return None
    return int(_CREDENTIALS.unpack(credentials)[1])


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _release(ports: Sequence[int]) -> None:
    for port in ports:
        _reserved.pop(port).close()


@atexit.register
def _release_all() -> None:
    _release(list(_reserved))
