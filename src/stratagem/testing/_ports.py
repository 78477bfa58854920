"""Ports for jobs on this machine."""

import random
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000
_random = random.SystemRandom()  # processes that ask at a time must not get the same ones
_given: set[int] = set()


def free_ports(count: int) -> list[int]:
    """So many ports of 127.0.0.1 that were free a moment ago, all different, for the addresses of a TF_CONFIG.

    Any process gets a port of the system's own range for a connection that it makes: so they are from below that range.
    They are not given out again by this process as long as there are others.
    """
    found: list[int] = []
    below = range(_LOWEST, _first_of_the_system())
    while len(found) < count:
        left = len(below) - len(_given)
        if left < count:
            _given.clear()
        port = _random.choice(below)
        if port not in _given and port not in found and _is_free(port):
            found.append(port)
    _given.update(found)
    return found


def _first_of_the_system() -> int:
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
