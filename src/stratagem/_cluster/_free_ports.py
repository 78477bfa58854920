"""Finds free ports for jobs on this machine, and reserves them."""

import atexit
import errno
import random
import socket
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


def free_ports(count: int) -> list[int]:
    """Returns `count` different ports of 127.0.0.1 that were free a moment ago, for the addresses of a TF_CONFIG.

    The system assigns ports of its own range to any outgoing connection, so these are from below that range. On Linux no
    process of the machine is given a port that another has asked for and perhaps not used yet: each stays reserved until this
    process ends or has asked for 128 more.

    Raises ResourceExhaustedError if there are not as many.
    """
    found: list[int] = []
    ports = range(_LOWEST, _first_system_port())
    for port in _random.sample(ports, len(ports)):
        if len(found) == count:
            break
        if _is_free(port) and _reserve(port):
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
    """Reserves a port for this process. Returns False if somebody had reserved it before.

    A name of Linux' abstract sockets belongs to one process of the network namespace, which is what shares the ports, and is
    free again when that process ends, however it ends.
    """
    if port in _reserved:
        return False
    one = socket.socket(socket.AF_UNIX)
    if sys.platform == "linux":
        try:
            one.bind(f"\0stratagem-port-{port}")
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                one.close()
                return False  # where such names are not allowed, the port is given without one
    _reserved[port] = one
    return True


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
