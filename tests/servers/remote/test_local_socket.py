"""Calls from one process of a machine to another: they arrive whole, and nothing that comes from a stranger is looked at."""

import dataclasses
import functools
import os
import pickle
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# Private: the ends of a link, of which a program knows nothing.
from stratagem._servers.remote import _local_socket
from stratagem._servers.remote._local_socket import LinkBrokenError, LinkListener, LocalLink
from stratagem._servers.remote._pickling import packed, unpacked
from tests.servers.processes.frames import Gadget

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sockets without a file or a port are Linux's")


class Served:
    """A listener. Each call is answered by `reply` of what it is, and remembered."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.reply: Callable[[Any], Any] = lambda call: call
        self.listener = LinkListener(self._answer)
        self._links: list[LocalLink] = []

    def link(self) -> LocalLink:
        """A new one."""
        self._links.append(LocalLink(self.listener.address))
        return self._links[-1]

    def close(self) -> None:
        for link in self._links:
            link.close()
        self.listener.close()

    def _answer(self, message: Any) -> Any:
        call = unpacked(message)
        self.calls.append(call)
        return packed(self.reply(call))

    def asked(self, link: LocalLink, call: Any) -> Any:
        link.send(packed(call), patient)
        return unpacked(link.receive(patient))


def patient() -> None:
    """Waits."""


@pytest.fixture
def served() -> Iterator[Served]:
    found = Served()
    yield found
    found.close()


@pytest.mark.parametrize("size", [0, 1, 8000, 9000, 16350, 16384, 70_000, 1_000_000])
def test_arrays_of_any_size_arrive_aligned_in_both_directions(served: Served, size: int) -> None:
    """Around what is sent out of band, and what one system call takes."""
    link = served.link()
    served.reply = lambda call: [call, call[1] + 1]
    sent = ["a" * (size % 70_000), np.arange(size, dtype=np.float32), *[np.ones(9000)] * (size % 3)]
    for _ in range(2):  # nothing is left of the first
        (text, *arrays), more = served.asked(link, sent)
        assert text == sent[0]
        for found, expected in [*zip(arrays, sent[1:], strict=True), (more, sent[1] + 1)]:
            np.testing.assert_array_equal(found, expected)
            assert found.flags.aligned
            assert found.nbytes <= 32 << 10 or not found.flags.writeable  # as those that Ray brings


def test_a_frame_of_more_parts_than_a_system_call_takes_arrives(served: Served) -> None:
    link = served.link()
    found = served.asked(link, [np.full(9000, i, np.float32) for i in range(1100)])
    assert [array[-1] for array in found] == list(range(1100))


def test_several_links_at_a_time_get_their_own_answers(served: Served) -> None:
    together = threading.Barrier(2, timeout=60.0)
    served.reply = lambda call: (together.wait(), call)[1]
    links = [served.link() for _ in range(2)]
    for number, link in enumerate(links):
        link.send(packed(number), patient)
    assert [unpacked(link.receive(patient)) for link in links] == [0, 1]


def hung_up(connection: socket.socket) -> bool:
    """Whether the other end closes the connection, after what it has sent."""
    connection.settimeout(20.0)
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionResetError:
        return True
    return True


def connected(address: Any) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(address.name)
    return connection


@pytest.mark.parametrize("replayed", [False, True])
def test_what_a_stranger_sends_is_not_unpickled(served: Served, tmp_path: Path, replayed: bool) -> None:
    """Without the key; or with a proof that another caller has made."""
    canary, payload = tmp_path / "canary", pickle.dumps(Gadget(tmp_path / "canary"))
    with connected(served.listener.address) as known:
        nonce = known.recv(32)
        seen = bytes(32) + _local_socket._proof(served.listener.address.key, b"caller", nonce, bytes(32))
    with connected(served.listener.address) as stranger:
        assert stranger.recv(32) != nonce
        stranger.sendall((seen if replayed else bytes(64)) + struct.pack(">IQ", 1, len(payload)) + payload)
        assert hung_up(stranger)
    assert not served.calls
    assert not canary.exists()


def test_a_wrong_key_is_refused_by_both_ends(served: Served) -> None:
    right = served.listener.address
    with pytest.raises(LinkBrokenError):
        LocalLink(dataclasses.replace(right, key=bytes(32)))
    name = b"\0stratagem-test-" + os.urandom(16).hex().encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as imposter:
        imposter.bind(name)
        imposter.listen()

        def agree() -> None:
            connection, _ = imposter.accept()
            with connection:
                connection.sendall(bytes(32))
                connection.sendall(connection.recv(64, socket.MSG_WAITALL)[32:])  # the caller's own proof

        thread = threading.Thread(target=agree)
        thread.start()
        with pytest.raises(LinkBrokenError, match="the listener does not know the key"):
            LocalLink(dataclasses.replace(right, name=name))
        thread.join()
    assert right.key.hex() not in repr(right)
    assert repr(right.key) not in repr(right)


def test_a_process_of_another_user_is_not_even_greeted(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with connected(served.listener.address) as other:
        other.settimeout(60.0)
        assert other.recv(32) == b""
    with pytest.raises(LinkBrokenError):
        LocalLink(served.listener.address)


def test_a_caller_learns_that_the_other_end_is_gone(served: Served) -> None:
    link = served.link()

    def fail(_: Any) -> Any:
        raise OSError("as if the process had ended")

    served.reply = fail
    with pytest.raises(LinkBrokenError):
        served.asked(link, 1)
    served.listener.close()
    with pytest.raises(LinkBrokenError):
        LocalLink(served.listener.address)


@pytest.mark.parametrize("numbers", [1, 4_000_000], ids=["for the answer", "until it is sent"])
def test_a_wait_ends_when_the_caller_says_so(served: Served, monkeypatch: pytest.MonkeyPatch, numbers: int) -> None:
    """The other end is frozen: in its answer to the call, or while a call is sent that fills the socket."""
    monkeypatch.setattr(_local_socket, "_SLICE_SECONDS", 0.01)
    thawed, frozen, waited = threading.Event(), threading.Event(), list[int]()

    def freeze(call: Any) -> Any:
        frozen.set()
        thawed.wait()
        return call

    served.reply = freeze
    link = served.link()
    link.send(packed(np.zeros(1)), patient)
    frozen.wait()

    def enough() -> None:
        waited.append(1)
        if len(waited) == 3:
            raise tf.errors.UnavailableError(None, None, "enough")

    wait: Callable[[], Any]
    if numbers > 1:
        wait = functools.partial(link.send, packed(np.zeros(numbers)), enough)
    else:
        wait = functools.partial(link.receive, enough)
    with pytest.raises(tf.errors.UnavailableError, match="enough"):
        wait()
    assert len(waited) == 3
    thawed.set()
