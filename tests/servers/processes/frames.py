"""What nobody should send: frames for the ports of a job from somebody without its token, and what they must not do."""

import pickle
import random
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, final

import psutil

from tests.multi_worker.jobs import Running

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS = 0, 1, 4  # types of HTTP/2 frames
_END_STREAM, _END_HEADERS = 1, 4
# Calls that would run code, end something or read the job's state, of every service that listens in a job.
CALLS = (
    "ActorInfoGcsService/KillActorViaGcs",
    "ActorInfoGcsService/RegisterActor",
    "CoreWorkerService/Exit",
    "CoreWorkerService/KillActor",
    "CoreWorkerService/PushTask",
    "InternalKVGcsService/InternalKVPut",
    "JobInfoGcsService/AddJob",
    "NodeInfoGcsService/GetAllNodeInfo",
    "NodeManagerService/DrainRaylet",
    "NodeManagerService/RequestWorkerLease",
    "NodeManagerService/ShutdownRaylet",
    "ObjectManagerService/Push",
    "RayletDataStreamer/Datapath",
    "RayletDriver/Init",
    "RayletDriver/KVPut",
    "RayletDriver/Schedule",
)
# In answers of gRPC: no such call, no such message, not without the token.
_STATUS = b"grpc-status\x02"
_UNKNOWN, _NO_MESSAGE, _REFUSED = (_STATUS + code for code in (b"12", b"13", b"16"))
_AT_ONCE = 8  # connections
_PATIENCE, _MOMENT = 120.0, 0.05  # seconds


@final
class Gadget:
    """Whoever unpickles it makes a file."""

    def __init__(self, canary: Path) -> None:
        self._canary = canary

    def __reduce__(self) -> Any:
        return Path.touch, (self._canary,)


def listening(running: Running) -> list[tuple[str, int]]:
    """Every address at which a process of the job listens."""
    found = [c.laddr for p in running.everything() for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    return sorted((address.ip.removeprefix("::ffff:"), address.port) for address in found)


def links(running: Running) -> list[str]:
    """Every socket without a port at which a server of the job listens for workers of its machine."""
    found = {c.laddr for p in running.everything() for c in p.net_connections("unix")}
    return sorted(f"\0{name[1:]}" for name in found if name.startswith("@stratagem-"))


def asks_for_the_token(address: tuple[str, int], canary: Path) -> bool:
    """Whether who listens there knows one of the calls, and answers every one that it knows with: not without the token.

    What is sent is as it should be, so that nothing but the token is wrong with it.
    """
    random_, payload = random.Random(0), pickle.dumps(Gadget(canary))
    messages = [_request(random_, call, fields) for call in CALLS for fields in (b"", _field(1, payload))]
    answers = [_sent(address, message, _STATUS) for message in messages]
    known = [answer for answer in answers if _UNKNOWN not in answer and _NO_MESSAGE not in answer]
    return bool(known) and all(_REFUSED in answer for answer in known)


def flood(addresses: Sequence[tuple[str, int] | str], number: int, seed: int, canary: Path) -> None:
    """Send so many frames, to every address alike."""
    random_ = random.Random(seed)
    sends = [(addresses[i % len(addresses)], frame(random_, canary)) for i in range(number)]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for _ in threads.map(_sent, *zip(*sends, strict=True)):
            pass


def frame(random_: random.Random, canary: Path) -> bytes:
    """One of many kinds."""
    payload = pickle.dumps(Gadget(canary), protocol=random_.randrange(2, pickle.HIGHEST_PROTOCOL + 1))
    return random_.choice(_KINDS)(random_, payload)


def _noise(random_: random.Random, payload: bytes) -> bytes:
    return random_.choice([b"", _PREFACE]) + random_.randbytes(random_.randrange(1, 4000))


def _dropped(random_: random.Random, payload: bytes) -> bytes:
    """A connection that is opened and dropped."""
    return b""


def _pickled(random_: random.Random, payload: bytes) -> bytes:
    prefixes = [b"", struct.pack("<I", len(payload)), struct.pack(">I", len(payload)), struct.pack("<Q", len(payload))]
    return random_.choice(prefixes) + payload


def _call(random_: random.Random, payload: bytes) -> bytes:
    """A whole call of gRPC, whose message has the pickle in its first fields."""
    fields = b"".join(_field(number, payload) for number in range(1, random_.randrange(2, 12)))
    return _request(random_, random_.choice(CALLS), fields)


def _cut(random_: random.Random, payload: bytes) -> bytes:
    whole = _call(random_, payload)
    return whole[: random_.randrange(1, len(whole))]


def _flipped(random_: random.Random, payload: bytes) -> bytes:
    bits = bytearray(_call(random_, payload))
    for _ in range(random_.randrange(1, 20)):
        bits[random_.randrange(len(_PREFACE), len(bits))] ^= 1 << random_.randrange(8)
    return bytes(bits)


def _huge(random_: random.Random, payload: bytes) -> bytes:
    """Lengths that nobody has memory for."""
    beginnings = [
        _request(random_, random_.choice(CALLS), payload, length=0xFFFFFFFF),
        _PREFACE + b"\xff\xff\xff" + bytes([random_.randrange(16), random_.randrange(256)]) + bytes(4) + payload,
        struct.pack("<Q", 1 << random_.randrange(31, 63)) + payload,
        struct.pack(">I", 0x7FFFFFFF) + payload,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\n" + payload,
    ]
    return random_.choice(beginnings)


def _web(random_: random.Random, payload: bytes) -> bytes:
    path = random_.choice(["/", "/api/jobs/", "/get_or_create_runtime_env", "/log_proxy", "/" + "a" * 9000])
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(payload)}\r\n\r\n".encode() + payload


# A third of them says nothing.
_KINDS: list[Callable[[random.Random, bytes], bytes]] = [_dropped] * 4 + [_call] * 2
_KINDS += [_noise, _pickled, _cut, _flipped, _huge, _web]


def _request(random_: random.Random, call: str, message: bytes, length: int | None = None) -> bytes:
    """A call of gRPC over HTTP/2, without a token or with a wrong one. length: of the message, as it says."""
    headers = b"\x83\x86" + _header(b"\x04", f"/ray.rpc.{call}") + _header(b"\x01", "localhost")
    headers += _header(b"\x00", "content-type", "application/grpc") + _header(b"\x00", "te", "trailers")
    bearer = random_.choice(["", "Bearer " + random_.randbytes(32).hex(), "Bearer ", "Basic YTpi"])
    if bearer:
        headers += _header(b"\x00", "authorization", bearer)
    frames = _http2(_SETTINGS, 0, 0, b"") + _http2(_HEADERS, _END_HEADERS, 1, headers)
    prefix = struct.pack(">BI", 0, len(message) if length is None else length)
    return _PREFACE + frames + _http2(_DATA, _END_STREAM, 1, prefix + message)


def _http2(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _header(begin: bytes, *texts: str) -> bytes:
    return begin + b"".join(_number(len(text), 7) + text.encode() for text in texts)


def _number(value: int, bits: int) -> bytes:
    """An integer as HPACK writes it (RFC 7541, 5.1)."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([value])
    return bytes([most]) + _groups(value - most)


def _field(number: int, value: bytes) -> bytes:
    """A field of bytes, as protocol buffers write it."""
    return _groups(number << 3 | 2) + _groups(len(value)) + value


def _groups(value: int) -> bytes:
    return bytes(_sevens(value))


def _sevens(value: int) -> Iterator[int]:
    while value > 127:
        yield value & 127 | 128
        value >>= 7
    yield value


def _sent(address: tuple[str, int] | str, frame: bytes, until: bytes | None = None) -> bytes:
    """The answer: up to these bytes, or what comes in a moment.

    The frame arrives whole: to close a connection on an unread answer could take it back.
    """
    answer = b""
    with _connected(address) as connection:
        try:
            connection.sendall(frame)
            if until is None:
                connection.settimeout(_MOMENT)
            while frame and (until is None or until not in answer) and (more := connection.recv(1 << 16)):
                answer += more
        except (TimeoutError, ConnectionError):
            return answer  # who listens waits for more, or has closed the connection
    return answer


def _connected(address: tuple[str, int] | str) -> socket.socket:
    """address: a host and a port, or the name of a socket without a port."""
    if not isinstance(address, str):
        return socket.create_connection(address, timeout=_PATIENCE)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(_PATIENCE)
    connection.connect(address)
    return connection
