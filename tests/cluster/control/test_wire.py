"""Nobody without the token is listened to, and no bit of a frame can be changed, left out, moved or sent again."""

import asyncio
import json
import struct
from types import SimpleNamespace
from typing import Any

import pytest

# Private: bits of frames are changed, which no sender does.
from stratagem._cluster.control._channel import MAGIC, MAX_FRAME_BYTES, Channel, PeerAuthenticationError, call, listen
from tests.cluster.control.hubs import TOKEN

KEY = bytes(range(32))
MESSAGES: list[dict[str, Any]] = [{"op": "beat", "step": 7, "phase": 3}, {"op": "left"}, {"op": "agree", "value": "ä"}]


class Kept:
    """What a channel has written."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def write(self, frame: bytes) -> None:
        self.frames.append(frame)


def frames(*, caller: bool = True) -> list[bytes]:
    kept = Kept()
    channel = Channel(None, kept, KEY, caller=caller)  # type: ignore[arg-type]
    for message in MESSAGES:
        channel.send(message)
    return kept.frames


def received(data: bytes) -> list[dict[str, Any]]:
    """What a listener understands until it gives up."""

    async def read() -> list[dict[str, Any]]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        channel = Channel(reader, None, KEY, caller=False)  # type: ignore[arg-type]
        found = []
        try:
            while True:
                found.append(await channel.receive())
        except (PeerAuthenticationError, asyncio.IncompleteReadError):
            return found

    return asyncio.run(read())


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every body that was parsed as JSON."""
    bodies: list[bytes] = []

    def loads(body: bytes) -> Any:
        bodies.append(body)
        return json.loads(body)

    # Private: nothing may be parsed before its signature was checked, which no answer shows.
    monkeypatch.setattr("stratagem._cluster.control._channel.json", SimpleNamespace(loads=loads, dumps=json.dumps))
    return bodies


def test_what_is_sent_arrives() -> None:
    assert received(b"".join(frames())) == MESSAGES


def test_no_bit_of_a_frame_can_be_changed(parsed: list[bytes]) -> None:
    first, second, _ = frames()
    for i in range(len(second)):
        for bit in range(8):
            changed = bytearray(second)
            changed[i] ^= 1 << bit
            parsed.clear()
            assert received(first + bytes(changed)) == MESSAGES[:1], f"byte {i}, bit {bit}"
            assert len(parsed) == 1  # the first one's only


@pytest.mark.parametrize(
    ("order", "understood"),
    [((1, 0), 0), ((0, 2), 1), ((0, 0), 1), ((0, 1, 0), 2)],
    ids=["swapped", "lost", "twice", "again"],
)
def test_frames_cannot_be_moved_dropped_or_sent_again(order: tuple[int, ...], understood: int) -> None:
    sent = frames()
    assert received(b"".join(sent[i] for i in order)) == MESSAGES[:understood]


def test_a_frame_cannot_be_sent_back_to_where_it_came_from() -> None:
    assert received(frames(caller=False)[0]) == []


def test_a_length_of_2_gb_is_refused_before_anything_is_read(parsed: list[bytes]) -> None:
    async def read(length: int) -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(struct.pack(">I", length))
        with pytest.raises(PeerAuthenticationError, match=f"a frame of {length} bytes"):
            await asyncio.wait_for(Channel(reader, None, KEY, caller=False).receive(), 5)  # type: ignore[arg-type]

    for length in (2**31, 2**32 - 1, MAX_FRAME_BYTES + 1):
        asyncio.run(read(length))
    assert parsed == []


@pytest.mark.parametrize(
    "body", [b"[1]", b"null", b"{", b"", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"]
)
def test_signed_nonsense_ends_the_connection(body: bytes) -> None:
    channel = Channel(None, None, KEY, caller=True)  # type: ignore[arg-type]
    assert received(struct.pack(">I", len(body)) + channel._sign(b"caller", 0, body) + body) == []


def test_a_message_of_more_than_16_mib_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="16777216 is the most"):
        Channel(None, Kept(), KEY, caller=True).send({"op": "x" * MAX_FRAME_BYTES})  # type: ignore[arg-type]


def meet(token: bytes, other: bytes) -> tuple[str, str]:
    """What a listener with one token, and a caller with another, say of each other."""

    async def run() -> tuple[str, str]:
        said: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await listen(reader, writer, token)
                said.set_result("welcome")
            except PeerAuthenticationError as error:
                said.set_result(str(error))
            finally:
                writer.close()

        async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            try:
                await call(reader, writer, other)
                return await said, "welcome"
            except PeerAuthenticationError as error:
                return await said, str(error)
            finally:
                writer.close()
                await writer.wait_closed()

    return asyncio.run(run())


def test_both_ends_have_to_know_the_token() -> None:
    assert meet(TOKEN, TOKEN) == ("welcome", "welcome")
    assert meet(TOKEN, TOKEN[:-1] + b"!") == ("another token", "it has another token")


@pytest.mark.parametrize(
    ("says", "error", "text"),
    [
        (b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n", PeerAuthenticationError, "another protocol"),
        (MAGIC.replace(b"1", b"2") + bytes(32), PeerAuthenticationError, "another protocol"),
        (MAGIC + bytes(32) + bytes(32), PeerAuthenticationError, "another token"),
        (MAGIC[:5], ConnectionResetError, "hung up"),
        (b"", ConnectionResetError, "hung up"),
        (None, TimeoutError, "does not answer"),
    ],
    ids=["ssh", "another version", "a proof of zeros", "half a greeting", "nothing", "silence"],
)
def test_a_caller_recognises_what_is_no_hub(
    says: bytes | None, error: type[Exception], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Private: ten seconds otherwise, which a busy machine may need and a test need not wait for.
    monkeypatch.setattr("stratagem._cluster.control._channel.HANDSHAKE_SECONDS", 10.0 if says is not None else 0.2)

    async def run() -> None:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if says is None:
                await reader.read()
            else:
                writer.write(says)
                if len(says) > len(MAGIC):
                    await reader.read(1)  # the caller's greeting; ended sooner, the connection would be reset
            writer.close()

        async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            try:
                with pytest.raises(error, match=text):
                    await call(reader, writer, TOKEN)
            finally:
                writer.close()
                await asyncio.sleep(0.02)

    asyncio.run(run())
