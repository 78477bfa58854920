"""Only the connections of collectives are shut down, whoever owns them, and other threads notice nothing."""

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator

import pytest

# Private: a job would abort its own collectives, and a test can not look at those of a process that ends.
from stratagem._cluster.control._abort_collectives import abort_connections, listening


@contextlib.contextmanager
def connection() -> Iterator[tuple[socket.socket, socket.socket, socket.socket]]:
    """A socket that listens, and the two ends of a connection to it."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as one:
        other, _ = server.accept()
        with other:
            yield server, one, other


def is_open(one: socket.socket, other: socket.socket) -> bool:
    """Whether a byte still gets through."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        one.sendall(b"x")
        return other.recv(1) == b"x"
    return False


def test_connections_with_one_of_the_ends_are_shut_down_and_no_others() -> None:
    with connection() as (server, *ends), connection() as (_, *others):
        before = listening()
        assert server.getsockname() in before
        abort_connections(frozenset([server.getsockname()]))
        assert not is_open(*ends)
        assert is_open(*others)
        assert listening() == before  # who listened still does


def test_whoever_owns_them() -> None:
    with connection() as (server, one, other):
        handle = os.dup(one.fileno())
        one.detach()
        try:
            abort_connections(frozenset([server.getsockname()]))
            assert other.recv(1) == b""
        finally:
            os.close(handle)


def test_nothing_is_aborted_where_no_collective_listens() -> None:
    with connection() as (_, *ends):
        abort_connections(frozenset())
        assert is_open(*ends)


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("quick_switches")
def test_other_threads_may_build_tuples_meanwhile() -> None:
    """Whoever asks the garbage collector for all objects holds unfinished tuples, which then cannot grow (SystemError)."""
    done = threading.Event()

    def abort_again_and_again() -> None:
        while not done.is_set():
            abort_connections(frozenset([("127.0.0.1", 1)]))

    thread = threading.Thread(target=abort_again_and_again)
    thread.start()
    try:
        for _ in range(20_000):
            assert len(tuple(i for i in range(200))) == 200
    finally:
        done.set()
        thread.join()
