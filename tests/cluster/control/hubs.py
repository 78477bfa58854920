"""A hub on a real socket, and tasks that speak to it without processes of their own."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any, final

from stratagem._cluster.control import JobInfo, TimeLimits

# Private: what tasks say to it in a wrong order, no task of a job says.
from stratagem._cluster.control._channel import Channel, Message, call

# Private: a hub runs in a supervisor, a process of its own, where no test sees what it logs.
from stratagem._cluster.control._hub import Hub
from stratagem.testing import free_ports

TOKEN = b"a secret of the tests, and long enough"
PATIENCE = 120.0


def facts_of(tasks: int, **limits: float) -> JobInfo:
    """Of rank 0 of a job on this machine."""
    return JobInfo(
        tasks=tuple(f"worker:{i}" for i in range(tasks)),
        rank=0,
        hub=f"127.0.0.1:{free_ports(1)[0]}",
        cluster={"worker": ["127.0.0.1:1"] * tasks},
        versions={"stratagem": "1"},
        pid=1,
        loopback=True,
        limits=replace(TimeLimits(), **limits),
    )


@final
@dataclass
class Task:
    """An authenticated connection to the hub, and everything that came over it."""

    facts: JobInfo
    channel: Channel
    seen: list[Message] = field(default_factory=list)

    @classmethod
    async def connect(cls, facts: JobInfo, token: bytes = TOKEN) -> "Task":
        """Without a hello."""
        reader, writer = await asyncio.open_connection(*facts.address)
        try:
            return cls(facts, await call(reader, writer, token))
        except Exception:
            writer.close()
            raise

    def hello(self, **changed: Any) -> None:
        """Ask to join."""
        facts = self.facts
        own = {"rank": facts.rank, "task": facts.task, "cluster": facts.cluster, "versions": facts.versions}
        self.channel.send({"op": "hello", **own, "host": "here", "pid": 100 + facts.rank, **changed})

    def beat(self, step: int = 0, phase: int = 1, seconds: float = 0.0) -> None:
        """Tell where it is."""
        self.channel.send({"op": "beat", "step": step, "phase": phase, "seconds": seconds})

    async def next(self, op: str) -> Message:
        """The next message of this kind."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self.channel.receive()
                self.seen.append(message)
                if message["op"] == op:
                    return message

    def give(self, name: str, value: Any = None, **place: Any) -> None:
        """A value, without waiting for those of others. place: `at` and `step`."""
        self.channel.send({"op": "agree", "name": name, "value": value, **place})

    async def agree(self, name: str, value: Any) -> list[Any]:
        """What all gave."""
        self.give(name, value)
        answer = await self.next("agreed")
        assert answer["name"] == name
        return [answer["values"][i] for i in answer["indices"]]

    async def ended(self) -> None:
        """Until the hub has ended the connection."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await self.next("nothing")


@final
@dataclass
class Hall:
    """A hub and what it logged."""

    hub: Hub
    facts: JobInfo
    log: list[str]
    tasks: list[Task] = field(default_factory=list)

    async def task(self, rank: int, /, **hello: Any) -> Task:
        """One that has asked to join."""
        task = await Task.connect(replace(self.facts, rank=rank))
        self.tasks.append(task)
        task.hello(**hello)
        return task

    async def job(self) -> list[Task]:
        """All tasks, joined."""
        tasks = [await self.task(rank) for rank in range(len(self.facts.tasks))]
        for task in tasks:
            await task.next("welcome")
        return tasks


@contextlib.asynccontextmanager
async def a_hub(tasks: int = 2, **limits: float) -> AsyncIterator[Hall]:
    """A hub; its coordination service gives back what it gets."""
    facts, log = facts_of(tasks, **limits), []

    async def service() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(*echo.sockets[0].getsockname())

    async def repeat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while block := await reader.read(1000):
            writer.write(block)
        writer.close()

    echo = await asyncio.start_server(repeat, "127.0.0.1", 0)
    hub = Hub(facts, TOKEN, service, log.append)
    await hub.start()
    hall = Hall(hub, facts, log)
    try:
        yield hall
    finally:
        for task in hall.tasks:
            task.channel.abort()
        await hub.stop()
        echo.close()
        await asyncio.sleep(0.05)  # connections that were closed end with the next turns of the loop
