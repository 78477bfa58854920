"""Free ports are given to one asker only, in any process of this machine."""

import errno
import os
import socket
import subprocess
import sys
from typing import Any

import pytest

from stratagem._base.errors import ResourceExhaustedError

# Private: a range of few ports, in which two that do not know of each other would meet, and which nobody else asks for: there
# are no such ports, so none of them is in use.
from stratagem._cluster import _free_ports

ASKS = """
import sys
from stratagem._cluster import _free_ports
_free_ports._LOWEST, _free_ports._first_system_port, _free_ports._is_free = 100_000, lambda: 100_040, lambda _: True
print(*_free_ports.free_ports(15), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_free_ports, "_LOWEST", 100_000)
    monkeypatch.setattr(_free_ports, "_first_system_port", lambda: 100_040)
    monkeypatch.setattr(_free_ports, "_is_free", lambda _: True)


@pytest.mark.skipif(sys.platform != "linux", reason="reservations are names of Linux")
def test_two_processes_never_get_the_same_port_although_neither_uses_it_yet() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ASKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        theirs = {int(port) for port in other.stdout.readline().split()}
        mine = {*_free_ports.free_ports(8), *_free_ports.free_ports(7)}
        assert len(mine) == len(theirs) == 15
        assert not mine & theirs
        other.communicate("")
    _free_ports._release_all()
    assert len(_free_ports.free_ports(36)) == 36, "what a process had reserved is free when it has ended"
    _free_ports._release_all()


TAKES_ALL = """
import os, socket, sys
os.setuid(65534)
names = [socket.socket(socket.AF_UNIX) for _ in range(40)]
for port, name in enumerate(names, 100_000):
    name.bind(f"\\0stratagem-port-{port}")
    if sys.argv[1] != "silent":
        name.listen(0)
if sys.argv[1] == "full":
    askers = [socket.socket(socket.AF_UNIX) for _ in range(80)]
    for number, asker in enumerate(askers):
        asker.setblocking(False)
        try:
            asker.connect(f"\\0stratagem-port-{100_000 + number % 40}")
        except BlockingIOError:
            pass
print("all", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can act as two users")
@pytest.mark.parametrize("how", ["silent", "listening", "full"])
def test_another_user_who_reserves_all_ports_stops_nobody(how: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TAKES_ALL, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "all\n"
        assert len({*_free_ports.free_ports(15)}) == 15
        other.communicate("")
    _free_ports._release_all()


def test_more_ports_than_there_are_is_an_error_and_not_an_endless_search() -> None:
    with pytest.raises(ResourceExhaustedError, match="41 ports are needed, and 40 from 100000 to 100039 are free"):
        _free_ports.free_ports(41)
    assert len(_free_ports.free_ports(40)) == 40, "a search in vain reserves nothing"
    _free_ports._release_all()


def test_the_ports_reserved_by_a_process_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_free_ports, "_MOST_RESERVED", 5)
    for _ in range(30):
        _free_ports.free_ports(2)
    assert len(_free_ports._reserved) <= 5
    _free_ports._release_all()


def test_where_ports_cannot_be_reserved_they_are_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forbidden(socket.socket):
        def bind(self, address: Any) -> None:
            raise PermissionError(errno.EPERM, "names of sockets are forbidden here")

    monkeypatch.setattr(_free_ports.socket, "socket", Forbidden)
    assert len({*_free_ports.free_ports(20), *_free_ports.free_ports(20)}) == 40
    _free_ports._release_all()
