"""A job goes on while strangers knock: other protocols, old bytes, silence, floods, and random ones."""

import ast
import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import stratagem._cluster

# Private: strangers know the protocol, and do not keep to it.
from stratagem._cluster.control._channel import MAGIC, MAX_FRAME_BYTES, call
from stratagem._cluster.control._hub import MAX_STRANGERS
from tests.cluster.control.hubs import TOKEN, Hall, Task, a_hub

CLUSTER = Path(stratagem._cluster.__file__).parent
GREETING = len(MAGIC) + 32


async def agreeing(tasks: list[Task], until: Awaitable[None]) -> int:
    """Let the tasks agree again and again until something has ended; how often they did."""
    attack = asyncio.ensure_future(until)
    count = 0
    while not attack.done() or count < 20:
        answers = await asyncio.gather(*(task.agree(f"number {count}", [count, task.facts.rank]) for task in tasks))
        assert answers == [[[count, rank] for rank in range(len(tasks))]] * len(tasks)
        count += 1
    await attack
    return count


async def said_to(hall: Hall, *parts: bytes, pause: float = 0.0) -> bytes:
    """Connect, say something, and read the answer until the hub hangs up."""
    reader, writer = await asyncio.open_connection(*hall.facts.address)
    answer = b""
    with contextlib.suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        if writer.can_write_eof():
            writer.write_eof()
        answer = await reader.read()
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    return answer


def during(attack: Callable[[Hall], Awaitable[None]]) -> Hall:
    """Run an attack on a job of two tasks that keep agreeing; they must notice nothing."""

    async def run() -> Hall:
        async with a_hub(2) as hall:
            tasks = await hall.job()
            await agreeing(tasks, attack(hall))
            assert all(message["op"] in ("waiting", "welcome", "agreed", "beat") for t in tasks for message in t.seen)
        return hall

    return asyncio.run(run())


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(100),
        b"\xff\xff\xff\xff" * 20,
        MAGIC,
        MAGIC + bytes(64),
        MAGIC + bytes(64) + b"\x00\x00\x00\x02{}" * 100,
        b"",
    ],
    ids=["http", "tls", "grpc", "ones", "a greeting", "a wrong proof", "a wrong proof and frames", "nothing"],
)
def test_another_protocol_is_refused_and_the_job_goes_on(said: bytes) -> None:
    async def attack(hall: Hall) -> None:
        answer = await said_to(hall, said)
        assert answer[: len(MAGIC)] == MAGIC
        assert answer[GREETING:] in (b"", bytes(32))  # no proof of the token, whatever was said

    (line,) = during(attack).log
    assert line.startswith("refused a connection from ('127.0.0.1'")


def test_bytes_of_an_old_session_are_refused() -> None:
    async def attack(hall: Hall) -> None:
        said = bytearray()

        async def relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            hub_reader, hub_writer = await asyncio.open_connection(*hall.facts.address)

            async def answers() -> None:
                while block := await hub_reader.read(1000):
                    writer.write(block)

            background = asyncio.create_task(answers())
            while block := await reader.read(1000):
                said.extend(block)
                hub_writer.write(block)
            background.cancel()
            for each in (writer, hub_writer):
                each.close()

        async with await asyncio.start_server(relayed, "127.0.0.1", 0) as relay:
            reader, writer = await asyncio.open_connection(*relay.sockets[0].getsockname())
            channel = await call(reader, writer, TOKEN)
            channel.send({"op": "tunnel"})
            writer.write(b"echo")
            assert await reader.readexactly(4) == b"echo"
            writer.close()
            await asyncio.sleep(0.05)
        assert said.startswith(MAGIC)
        assert said.endswith(b"echo")
        answer = await said_to(hall, bytes(said))
        assert answer[GREETING:] == bytes(32)  # no

    during(attack)


def test_half_open_slow_and_silent_connections_keep_nobody_out() -> None:
    async def run() -> None:
        async with a_hub(3) as hall:
            first = [await hall.task(0), await hall.task(1)]
            half_open = [await asyncio.open_connection(*hall.facts.address) for _ in range(200)]
            slow = [asyncio.create_task(said_to(hall, *[bytes([b]) for b in MAGIC], pause=0.05)) for _ in range(20)]
            assert len(hall.hub._strangers) <= MAX_STRANGERS
            tasks = [*first, await hall.task(2)]  # joins in the middle of it
            for task in tasks:
                await task.next("welcome")
            assert len(hall.hub._connections) <= MAX_STRANGERS + len(tasks)
            await agreeing(tasks, asyncio.gather(*slow))  # type: ignore[arg-type]
            assert len(hall.log) <= 2, hall.log  # a flood is told in a line
            for _, writer in half_open:
                writer.close()
            await asyncio.sleep(0.05)
            assert not hall.hub._strangers

    asyncio.run(run())


def test_silence_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def attack(hall: Hall) -> None:
        # Private: a stranger has ten seconds otherwise.
        monkeypatch.setattr("stratagem._cluster.control._channel.HANDSHAKE_SECONDS", 0.1)
        reader, writer = await asyncio.open_connection(*hall.facts.address)
        assert len(await reader.read()) == GREETING
        writer.close()

    assert "no greeting" in during(attack).log[0]


def test_2000_random_connections_do_nothing() -> None:
    random_ = random.Random(1)

    def noise() -> bytes:
        data = random_.randbytes(random_.choice([1, 11, 12, 44, 76, 80, 200, 3000]))
        return random_.choice([b"", MAGIC, MAGIC + bytes(32), MAGIC[:6]]) + data

    async def attack(hall: Hall) -> None:
        for _ in range(100):
            answers = await asyncio.gather(*(said_to(hall, noise()) for _ in range(20)))
            assert all(answer[GREETING:] in (b"", bytes(32)) for answer in answers)

    hall = during(attack)
    assert len(hall.log) <= 2  # they are counted, not listed
    assert not hall.hub._strangers


def test_random_messages_of_a_task_are_its_own_problem() -> None:
    """It knows the token, so it may fail the job; but by name, and the hub lives on."""
    random_ = random.Random(2)
    values = [None, -1, 2**70, 1.5, "", "x" * 1000, [], {}, [[]], {"a": None}, True, float("nan")]
    ops = ["beat", "agree", "withdraw", "broken", "left", "failed", "preempt", "hello", "nonsense", None, 7, []]
    keys = ["at", "step", "phase", "seconds", "name", "value", "failure", "rank", "text"]

    async def run() -> None:
        for _ in range(60):
            async with a_hub(2) as hall:
                one, other = await hall.job()
                for _ in range(10):
                    fields = {key: random_.choice(values) for key in random_.sample(keys, random_.randrange(len(keys)))}
                    one.channel.send({"op": random_.choice(ops), **fields})
                one.channel.close()
                failed = asyncio.create_task(other.next("failure"))
                other.channel.send({"op": "agree", "name": "the end", "value": 1})
                message = await failed
                assert message["failure"]["task"] == "worker:0" or message["failure"]["kind"] != "lost", message

    asyncio.run(run())


def test_a_wrong_hello_is_refused_in_words() -> None:
    async def run() -> None:
        async with a_hub(2) as hall:
            tasks = await hall.job()
            for changed, text in [
                ({"cluster": {"worker": ["b:1"]}}, "its cluster differs from what worker:0 has: worker is"),
                ({"cluster": None}, "its cluster differs"),
                ({"versions": {"stratagem": "2"}}, "stratagem is 2 there and 1 here"),
                ({"rank": 2, "task": "worker:2"}, "is not number 2 of worker:0, worker:1"),
                ({"rank": -1}, "is not number -1"),
                ({"rank": "1"}, "is not number 1"),
                ({"task": "chief:0"}, "chief:0 is not number 1"),
            ]:
                task = await hall.task(1, **changed)
                assert text in (await task.next("refused"))["text"]
                await task.ended()
            assert await asyncio.gather(*(t.agree("all", t.facts.rank) for t in tasks)) == [[0, 1]] * 2

    asyncio.run(run())


def test_nothing_that_runs_code_is_imported() -> None:
    forbidden = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "multiprocessing", "xmlrpc"}
    for path in CLUSTER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom):
                names.append(node.module or "")
            assert not forbidden & {name.partition(".")[0] for name in names}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path


def test_no_wait_depends_on_the_time_of_day() -> None:
    for path in (CLUSTER / "control").glob("*.py"):
        source = path.read_text()
        assert "time.time(" not in source, path
        assert "datetime" not in source, path


def test_a_frame_before_the_handshake_is_never_waited_for() -> None:
    async def attack(hall: Hall) -> None:
        answer = await said_to(hall, MAX_FRAME_BYTES.to_bytes(4, "big") + bytes(200))
        assert answer[GREETING:] == b""

    during(attack)
