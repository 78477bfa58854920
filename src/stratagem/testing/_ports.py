"""Finds free ports for jobs on this machine."""

import random
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000
_random = random.SystemRandom()  # processes that ask at the same time must not get the same ports
_given: set[int] = set()


def free_ports(count: int) -> list[int]:
    """Returns `count` different ports of 127.0.0.1 that were free a moment ago, for the addresses of a TF_CONFIG.

    The system assigns ports of its own range to any outgoing connection, so these are from below that range. This process
    does not return a port twice as long as others are left.
    """
    found: list[int] = []
    below = range(_LOWEST, _first_system_port())
    while len(found) < count:
        left = len(below) - len(_given)
        if left < count:
            _given.clear()
        port = _random.choice(below)
        if port not in _given and port not in found and _is_free(port):
            found.append(port)
    _given.update(found)
    return found


def _first_system_port() -> int:
    try:
        return max(int(_RANGE.read_text().split()[0]), _LOWEST + 1000)
    except FileNotFoundError:  # not Linux
        return 32768


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
