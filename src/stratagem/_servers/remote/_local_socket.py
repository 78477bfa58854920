"""LocalLink: a link, a socket without file or port, carries calls within a machine; both ends prove that they know a key."""

import contextlib
import functools
import hashlib
import hmac
import logging
import os
import secrets
import socket
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, final

from stratagem._servers.remote._pickling import Message

_T = TypeVar("_T")

logger = logging.getLogger("stratagem.remote")

_HANDSHAKE_SECONDS = 10.0
_SLICE_SECONDS = 1.0  # of a wait, between two checks whether to go on waiting
_KEY = _NONCE = _PROOF = 32
_HUNG_UP = "the other end has hung up"
# A frame is the number of its parts, the size of each in bytes, and the parts: a pickle, and then arrays.
_COUNT, _SIZE = struct.Struct(">I"), struct.Struct(">Q")
_CREDENTIALS = struct.Struct("iII")  # of a process: its own id, its user's and its group's
_TIME = struct.Struct("ll")  # seconds and microseconds
_AT_ONCE = 64 << 10  # bytes that one system call takes: all of a short frame
_PARTS = 512  # of a frame that are sent at once; a system call takes 1024


class LinkBrokenError(ConnectionError):
    """The other end has closed the link, has never opened it, or does not know its key."""


@final
@dataclass(frozen=True)
class LinkAddress:
    """The place where a process listens. name: of the socket, in Linux's abstract namespace. key: both ends have to know it."""

    name: bytes
    key: bytes = field(repr=False)


def links_exist() -> bool:
    """Returns whether this system has sockets that are neither files nor ports. Only Linux has."""
    return sys.platform == "linux"


@final
class LinkListener:
    """Answers the calls that come by links, each link in a thread of its own, as long as the process lives.

    Other users' processes are refused, and nothing of a call is looked at before the caller has proven that it knows the key.
    """

    def __init__(self, answer: Callable[[Message], Message]) -> None:
        """answer: returns the answer to the message of a call; several threads call it, and it does not raise."""
        self.address = LinkAddress(b"\0stratagem-" + secrets.token_hex(16).encode(), secrets.token_bytes(_KEY))
        self._answer = answer
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(self.address.name)
        self._socket.listen()
        _in_a_thread(self._accept)

    def close(self) -> None:
        """Accepts no more links; those that there are go on."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # it was closed
                return
            if _user_at_other_end(connection) == os.getuid():
                _in_a_thread(functools.partial(self._serve, connection))
            else:
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                _greet_caller(connection, self.address.key)
                while True:
                    _send(connection, self._answer(_receive(connection, _go_on)), _go_on)
            except OSError as error:
                logger.debug("A link has ended: %s", error)


@final
class LocalLink:
    """The caller's end of a link. One call at a time; used by one thread at a time."""

    def __init__(self, address: LinkAddress) -> None:
        """Raises LinkBrokenError if nobody listens there on this machine, or whoever does lacks the key."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _greet_listener(self._socket, address)
        except OSError as error:
            self._socket.close()
            raise LinkBrokenError(str(error)) from None
        # Limits of the system itself cost no call before each wait, as that of one of Python's sockets would.
        limit = _TIME.pack(int(_SLICE_SECONDS), int(_SLICE_SECONDS % 1 * 1e6))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self._socket.setsockopt(socket.SOL_SOCKET, option, limit)

    def send(self, message: Message, waiting: Callable[[], None]) -> None:
        """Sends a call. waiting: called each second until it is sent; may raise. Raises LinkBrokenError."""
        _send(self._socket, message, waiting)

    def receive(self, waiting: Callable[[], None]) -> Message:
        """Returns the answer. waiting: called each second until it is there; may raise. Raises LinkBrokenError."""
        return _receive(self._socket, waiting)

    def close(self) -> None:
        """Ends the link; an answer that is under way is lost."""
        self._socket.close()


def _in_a_thread(body: Callable[[], None]) -> None:
    threading.Thread(target=body, name="stratagem link", daemon=True).start()


def _user_at_other_end(connection: socket.socket) -> int:
    """Returns the id of the user whose process has connected, as the system knows it."""
    return int(_CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[1])


def _go_on() -> None:
    """Waits on: the other end decides how long, and its end is noticed."""


def _greet_caller(connection: socket.socket, key: bytes) -> None:
    """Lets a caller prove that it knows the key, and proves it in turn. Raises LinkBrokenError if it does not."""
    connection.settimeout(_HANDSHAKE_SECONDS)
    nonce = secrets.token_bytes(_NONCE)
    connection.sendall(nonce)
    theirs, proof = _exactly(connection, _NONCE), _exactly(connection, _PROOF)
    if not hmac.compare_digest(proof, _proof(key, b"caller", nonce, theirs)):
        raise LinkBrokenError("the caller does not know the key")
    connection.sendall(_proof(key, b"listener", nonce, theirs))
    connection.settimeout(None)


def _greet_listener(connection: socket.socket, address: LinkAddress) -> None:
    """Connects, proves to a listener that this end knows the key, and has it prove the same. Raises LinkBrokenError."""
    connection.settimeout(_HANDSHAKE_SECONDS)
    connection.connect(address.name)
    theirs, nonce = _exactly(connection, _NONCE), secrets.token_bytes(_NONCE)
    connection.sendall(nonce + _proof(address.key, b"caller", theirs, nonce))
    if not hmac.compare_digest(_exactly(connection, _PROOF), _proof(address.key, b"listener", theirs, nonce)):
        raise LinkBrokenError("the listener does not know the key")
    connection.settimeout(None)


def _proof(key: bytes, end: bytes, listeners: bytes, callers: bytes) -> bytes:
    """Returns what proves that this end knows the key, of the nonces of both ends, which have one length."""
    return hmac.digest(key, end + listeners + callers, hashlib.sha256)


def _send(connection: socket.socket, message: Message, waiting: Callable[[], None]) -> None:
    parts = [memoryview(part).cast("B") for part in ([message] if isinstance(message, bytes) else message)]
    header = b"".join([_COUNT.pack(len(parts)), *(_SIZE.pack(part.nbytes) for part in parts)])
    left = [memoryview(header), *parts]
    while left:
        sent = _patiently(functools.partial(connection.sendmsg, left[:_PARTS]), waiting)
        while left and sent >= left[0].nbytes:
            sent -= left.pop(0).nbytes
        if left:
            left[0] = left[0][sent:]


def _receive(connection: socket.socket, waiting: Callable[[], None]) -> Message:
    begun, header = _split(connection, memoryview(b""), _COUNT.size, waiting)
    (count,) = _COUNT.unpack(header)
    begun, header = _split(connection, begun, count * _SIZE.size, waiting)
    parts: list[memoryview] = []
    for (size,) in _SIZE.iter_unpack(header):
        begun, part = _split(connection, begun, size, waiting)
        parts.append(part)
    return bytes(parts[0]) if count == 1 else list(parts)


def _split(
    connection: socket.socket, begun: memoryview, size: int, waiting: Callable[[], None]
) -> tuple[memoryview, memoryview]:
    """Returns the next `size` bytes, after what follows them in what was received. begun: what was received before.

    No frame is received before the one in front of it is answered, so all that comes belongs to this one.
    """
    if not begun.nbytes and size <= _AT_ONCE:
        begun = memoryview(_patiently(functools.partial(connection.recv, _AT_ONCE), waiting))
        if not begun.nbytes:
            raise LinkBrokenError(_HUNG_UP)
    if begun.nbytes >= size:
        return begun[size:], memoryview(bytes(begun[:size]))  # a copy: arrays have to be aligned
    whole, have = memoryview(bytearray(size)), begun.nbytes
    whole[:have] = begun
    while have < size:
        received = _patiently(functools.partial(connection.recv_into, whole[have:]), waiting)
        if not received:
            raise LinkBrokenError(_HUNG_UP)
        have += received
    return memoryview(b""), whole.toreadonly()


def _patiently(operation: Callable[[], _T], waiting: Callable[[], None]) -> _T:
    """Returns what an operation of a socket returns. waiting: called whenever it has reached the socket's limit of time."""
    while True:
        try:
            return operation()
        except BlockingIOError:
            waiting()
        except OSError as error:
            raise LinkBrokenError(str(error)) from None


def _exactly(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        more = connection.recv(size - len(received))
        if not more:
            raise LinkBrokenError(_HUNG_UP)
        received += more
    return received
