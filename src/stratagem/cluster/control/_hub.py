"""The hub of a job, in rank 0's supervisor: it knows every task, passes messages on, and finds out who failed."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from stratagem._job import Phase
from stratagem.cluster.control._facts import Facts
from stratagem.cluster.control._failure import Failure, Kind
from stratagem.cluster.control._wire import Channel, Message, WireError, listen

WATCH_SECONDS = 0.25
_NEWS_SECONDS = 3.0  # from a broken collective to the news of the task that broke it
_MOST_STRANGERS = 64  # connections at a time that have not proved anything


@final
@dataclass
class _Member:
    """A task as its supervisor tells it. `entered` is when it entered its phase, on this machine's clock."""

    rank: int
    task: str
    host: str
    pid: int
    channel: Channel
    heard: float
    step: int = 0
    phase: Phase = Phase.STARTING
    entered: float = 0.0
    left: bool = False  # it ended as it should
    gone: bool = False  # its supervisor, too


@final
@dataclass
class _Agreement:
    """The values that tasks have given under one name."""

    begun: float
    values: dict[int, Any] = field(default_factory=dict)


@final
class Hub:
    """Listens at rank 0's address until every task is gone.

    service: the path of the coordination service, to which it lets tasks of other machines through.
    """

    def __init__(self, facts: Facts, token: bytes, service: str, log: Callable[[str], None]) -> None:
        self._facts = facts
        self._token = token
        self._service = service
        self._log = log
        self._members: dict[int, _Member] = {}
        self._agreements: dict[str, _Agreement] = {}
        self._failure: Failure | None = None
        self._welcomed = False
        self._strangers = 0
        self._empty = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Bind the address and begin to watch.

        Raises:
            OSError: the address is in use, or not this machine's.
        """
        host, port = self._facts.address
        self._server = await asyncio.start_server(self._connected, host, port)
        self._watcher = asyncio.create_task(self._watch())

    async def until_empty(self) -> None:
        """Wait until every task that was there has gone."""
        await self._empty.wait()

    async def stop(self) -> None:
        """End all connections."""
        self._watcher.cancel()
        self._server.close()
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(self._watcher, *self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            channel = await self._authenticated(reader, writer)
            if channel is not None:
                hello = await channel.receive()
                await (self._tunnel(channel) if hello["op"] == "tunnel" else self._member(channel, hello))
        except (ConnectionError, asyncio.IncompleteReadError, ValueError, KeyError) as error:
            self._log(f"a connection ended: {error!r}")
        finally:
            self._connections.discard(task)
            writer.close()

    async def _authenticated(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Channel | None:
        if self._strangers >= _MOST_STRANGERS:
            return None
        self._strangers += 1
        try:
            return await listen(reader, writer, self._token)
        except WireError as error:
            peer = writer.get_extra_info("peername")
            self._log(f"refused a connection from {peer}: {error}")
            return None
        finally:
            self._strangers -= 1

    async def _tunnel(self, channel: Channel) -> None:
        reader, writer = await asyncio.open_unix_connection(self._service)
        await pipe(channel.reader, channel.writer, reader, writer)

    async def _member(self, channel: Channel, hello: Message) -> None:
        if (reason := self._refusal(hello)) is not None:
            self._log(f"refused {hello['task']} of {hello['host']} (pid {hello['pid']}): {reason}")
            channel.send({"op": "refused", "text": reason})
            await channel.writer.drain()
            return
        now = time.monotonic()
        member = _Member(hello["rank"], hello["task"], hello["host"], hello["pid"], channel, now, entered=now)
        self._members[member.rank] = member
        self._greet()
        try:
            while True:
                self._receive(member, await channel.receive())
        except (ConnectionError, asyncio.IncompleteReadError):
            if not member.left:
                self._lost(member, "The connection to its supervisor ended.")
        finally:
            member.gone = True
            if not self._welcomed:
                del self._members[member.rank]  # it may come again
            if all(m.gone for m in self._members.values()):
                self._empty.set()

    def _refusal(self, hello: Message) -> str | None:
        """Why a task may not join; None if it may."""
        facts = self._facts
        if hello["cluster"] != facts.cluster:
            return f"its cluster differs from that of {facts.task}: {_difference(hello['cluster'], facts.cluster)}."
        if hello["versions"] != facts.versions:
            return f"its versions differ from those of {facts.task}: {_difference(hello['versions'], facts.versions)}."
        if (other := self._members.get(hello["rank"])) is not None and not other.gone:
            return f"{other.task} is already there, on {other.host} (pid {other.pid})."
        if self._welcomed:
            return "the job has begun without it, or has failed. Start all tasks again."
        return None

    def _greet(self) -> None:
        """Tell everybody who is missing, or that all are there."""
        missing = [task for rank, task in enumerate(self._facts.tasks) if rank not in self._members]
        if missing:
            self._broadcast({"op": "waiting", "missing": missing})
        else:
            self._welcomed = True
            self._broadcast({"op": "welcome", "hosts": [self._members[r].host for r in sorted(self._members)]})

    def _broadcast(self, message: Message) -> None:
        for member in self._members.values():
            if not member.gone:
                member.channel.send(message)

    def _receive(self, member: _Member, message: Message) -> None:
        member.heard = time.monotonic()
        match message["op"]:
            case "beat":
                member.step, member.phase = message["step"], Phase(message["phase"])
                member.entered = member.heard - message["seconds"]
            case "agree":
                self._agree(member, message["name"], message["value"])
            case "preempt":
                self._log(f"{member.task} will be ended: all tasks save and leave")
                self._broadcast({"op": "preempt"})
            case "withdraw":
                self._withdraw(member, message["name"])
            case "broken":
                self._broken(member)
            case "left":
                member.left = True
                self._end_agreements(member)
            case "failed":
                self._fail(Failure.from_json(message["failure"]))

    def _agree(self, member: _Member, name: str, value: Any) -> None:
        agreement = self._agreements.setdefault(name, _Agreement(time.monotonic()))
        agreement.values[member.rank] = value
        if len(agreement.values) == len(self._facts.tasks):
            del self._agreements[name]
            values = [agreement.values[rank] for rank in range(len(self._facts.tasks))]
            self._broadcast({"op": "agreed", "name": name, "values": values})
            return
        gone = next((m for m in self._members.values() if m.left and m.rank not in agreement.values), None)
        if gone is not None:
            self._fail(self._failure_of(gone, Kind.LEFT, f"{member.task} waits for it ({name}).", 0.0))

    def _broken(self, member: _Member) -> None:
        """A collective of this task broke: a task ended, or the loss of one is told soon, or it is the network."""
        gone = next((m for m in self._members.values() if m.left), None)
        if gone is not None:
            self._fail(self._failure_of(gone, Kind.LEFT, f"{member.task} waits for it in step {member.step}.", 0.0))
            return
        failure = self._failure_of(member, Kind.CUT, "Is the network between the machines broken?", 0.0)
        asyncio.get_running_loop().call_later(_NEWS_SECONDS, self._fail, failure)

    def _withdraw(self, member: _Member, name: str) -> None:
        agreement = self._agreements.get(name)
        if agreement is not None:
            agreement.values.pop(member.rank, None)
            if not agreement.values:
                del self._agreements[name]

    def _end_agreements(self, gone: _Member) -> None:
        for name, agreement in self._agreements.items():
            if gone.rank not in agreement.values:
                self._fail(self._failure_of(gone, Kind.LEFT, f"Others wait for it ({name}).", 0.0))
                return

    def _lost(self, member: _Member, text: str) -> None:
        self._fail(self._failure_of(member, Kind.LOST, text, 0.0))

    def _failure_of(self, member: _Member, kind: Kind, text: str, waited: float) -> Failure:
        place = (member.step, member.phase, text, member.host, member.pid, waited)
        return Failure(member.task, member.rank, kind, *place)

    def _fail(self, failure: Failure) -> None:
        """The first failure is the cause; what follows from it is not told."""
        if self._failure is None and self._welcomed:
            self._failure = failure
            self._broadcast({"op": "failure", "failure": failure.to_json()})

    async def _watch(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(WATCH_SECONDS)
            now = time.monotonic()
            if now - before > 10 * WATCH_SECONDS:
                # This machine itself was asleep or overloaded: what the others sent is not read yet.
                for member in self._members.values():
                    member.heard = now
                continue
            for member in list(self._members.values()):
                if now - member.heard > self._facts.limits.heartbeat and not member.left and not member.gone:
                    text = "Nothing was heard from its supervisor: its machine or the network is gone."
                    self._fail(self._failure_of(member, Kind.LOST, text, now - member.heard))
            self._find_stuck(now)

    def _find_stuck(self, now: float) -> None:
        """Fail the job when tasks have waited too long for one that does not do its part."""
        if self._failure is not None:
            return
        for name, agreement in self._agreements.items():
            if now - agreement.begun > self._facts.limits.collective:
                late = [m for m in self._members.values() if m.rank not in agreement.values]
                self._blame(late, now, now - agreement.begun, f"The others wait for its part in: {name}.")
                return
        here = [m for m in self._members.values() if not m.left and m.phase == Phase.COLLECTIVE]
        waiting = [m for m in here if now - m.entered > self._facts.limits.collective]
        if not waiting:
            return
        longest = max(waiting, key=lambda m: now - m.entered)
        late = [m for m in self._members.values() if m not in here or m.step < longest.step]
        self._blame(late or [longest], now, now - longest.entered, f"{longest.task} waits in step {longest.step}.")

    def _blame(self, late: list[_Member], now: float, waited: float, text: str) -> None:
        if any(m.phase == Phase.COMPILING and now - m.entered < self._facts.limits.compile for m in late):
            return
        culprit = min(late, key=lambda m: (m.step, m.entered))  # who went least far
        self._fail(self._failure_of(culprit, Kind.LEFT if culprit.left else Kind.STUCK, text, waited))


async def pipe(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    other_reader: asyncio.StreamReader,
    other_writer: asyncio.StreamWriter,
) -> None:
    """Pass bytes on in both directions until either end closes."""

    async def one_way(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while block := await source.read(1 << 16):
                target.write(block)
                await target.drain()
        finally:
            target.close()

    await asyncio.gather(one_way(reader, other_writer), one_way(other_reader, writer), return_exceptions=True)


def _difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """The entries that differ, in words."""
    names = [name for name in [*theirs, *(n for n in ours if n not in theirs)] if theirs.get(name) != ours.get(name)]
    return "; ".join(
        f"{name} is {theirs.get(name, 'missing')} there and {ours.get(name, 'missing')} here" for name in names
    )
