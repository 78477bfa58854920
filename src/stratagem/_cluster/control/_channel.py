"""Messages between supervisors. Both ends prove that they know the token before anything is parsed, and sign every frame.

Handshake: the listener sends a magic line and a nonce; the caller sends the same and a proof; the listener sends its
proof. A frame is its length (4 bytes), its HMAC-SHA256 (32 bytes) and a JSON object. The signature covers the frame's
direction and number, so that a frame that is replayed, dropped or reordered is noticed. Nothing is encrypted.
"""

import asyncio
import hashlib
import hmac
import json
import secrets
import struct
from typing import Any, final

MAGIC = b"STRATAGEM/1\n"
MAX_FRAME_BYTES = 16 << 20
MAX_VALUE_BYTES = 1 << 20  # of one task's value in an agreement
HANDSHAKE_SECONDS = 10.0
_NONCE = 32
_MAC = 32
_NO = bytes(_MAC)  # a listener's answer to a wrong proof
_LENGTH = struct.Struct(">I")

Message = dict[str, Any]


class PeerAuthenticationError(ConnectionError):
    """The other end is not a task of this job, or its messages were changed on the way."""


@final
class Channel:
    """An authenticated connection. Frames go both ways; one task writes and one reads at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes, *, caller: bool) -> None:
        self.reader, self.writer = reader, writer
        self._key = key
        self._sending, self._receiving = (b"caller", b"listener") if caller else (b"listener", b"caller")
        self._sent = self._received = 0

    def send(self, message: Message) -> None:
        """Queues a message, which is sent with the next turn of the event loop.

        Raises:
            ValueError: the message has more than 16 MiB.
        """
        body = json.dumps(message, separators=(",", ":")).encode()
        if len(body) > MAX_FRAME_BYTES:
            raise ValueError(f"A control message has {len(body)} bytes; {MAX_FRAME_BYTES} is the most.")
        self.writer.write(_LENGTH.pack(len(body)) + self._sign(self._sending, self._sent, body) + body)
        self._sent += 1

    async def receive(self) -> Message:
        """Returns the next message.

        Raises:
            PeerAuthenticationError: it is too long, or not signed by the peer.
            asyncio.IncompleteReadError: the connection has ended.
        """
        (length,) = _LENGTH.unpack(await self.reader.readexactly(_LENGTH.size))
        if length > MAX_FRAME_BYTES:
            raise PeerAuthenticationError(f"a frame of {length} bytes")
        mac = await self.reader.readexactly(_MAC)
        body = await self.reader.readexactly(length)
        if not hmac.compare_digest(mac, self._sign(self._receiving, self._received, body)):
            raise PeerAuthenticationError("a frame with a wrong signature")
        self._received += 1
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise PeerAuthenticationError("a frame that is no object")
        return message

    def close(self) -> None:
        """Ends the connection when all queued messages were sent."""
        self.writer.close()

    def abort(self) -> None:
        """Ends the connection at once, also if the peer does not read any more."""
        self.writer.transport.abort()

    def _sign(self, direction: bytes, number: int, body: bytes) -> bytes:
        return _mac(self._key, direction, number.to_bytes(8, "big"), body)


async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: bytes) -> Channel:
    """Authenticates a caller.

    Raises:
        PeerAuthenticationError: it does not know the token, or was silent for ten seconds.
    """
    nonce = secrets.token_bytes(_NONCE)
    writer.write(MAGIC + nonce)
    try:
        async with asyncio.timeout(HANDSHAKE_SECONDS):
            theirs = await _greeting(reader)
            proof = await reader.readexactly(_MAC)
    except (TimeoutError, asyncio.IncompleteReadError) as error:
        raise PeerAuthenticationError("no greeting") from error
    key = _mac(token, b"key", nonce, theirs)
    if not hmac.compare_digest(proof, _mac(key, b"caller")):
        writer.write(_NO)
        raise PeerAuthenticationError("another token")
    writer.write(_mac(key, b"listener"))
    return Channel(reader, writer, key, caller=False)


async def call(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: bytes) -> Channel:
    """Authenticates with the listener, and the listener with this process.

    Raises:
        PeerAuthenticationError: the listener does not know the token, or speaks another protocol.
        ConnectionError, TimeoutError: it closed the connection, or is silent; it may be busy, or about to end.
    """
    nonce = secrets.token_bytes(_NONCE)
    try:
        async with asyncio.timeout(HANDSHAKE_SECONDS):
            theirs = await _greeting(reader)
            key = _mac(token, b"key", theirs, nonce)
            writer.write(MAGIC + nonce + _mac(key, b"caller"))
            proof = await reader.readexactly(_MAC)
    except TimeoutError:
        raise TimeoutError("it does not answer") from None
    except asyncio.IncompleteReadError as error:
        raise ConnectionResetError("it hung up") from error
    if not hmac.compare_digest(proof, _mac(key, b"listener")):
        raise PeerAuthenticationError("it has another token")
    return Channel(reader, writer, key, caller=True)


async def _greeting(reader: asyncio.StreamReader) -> bytes:
    magic = await reader.readexactly(len(MAGIC))
    if magic != MAGIC:
        raise PeerAuthenticationError(f"it speaks another protocol than {MAGIC.decode().strip()}")
    return await reader.readexactly(_NONCE)


def _mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.digest(key, b"".join(len(p).to_bytes(8, "big") + p for p in parts), hashlib.sha256)
