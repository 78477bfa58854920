"""The hub of a job, in rank 0's supervisor: it knows every task, passes messages on, and finds out who failed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.job import Phase
from stratagem._cluster.control._failure import FailureKind, JobFailure
from stratagem._cluster.control._hopeless import Hopeless
from stratagem._cluster.control._job_info import JobInfo
from stratagem._cluster.control._member import Agreement, Member, apart, stuck
from stratagem._cluster.control._tunnel import Streams, pipe
from stratagem._cluster.control._wire import HANDSHAKE_SECONDS, Channel, Message, listen

WATCH_SECONDS = 0.25
MOST_STRANGERS = 128  # connections at a time that have not proved anything; the oldest makes room for the next
_BEAT_TURNS = 2  # of the watch between two signs of life to the tasks
_NEWS_SECONDS = 3.0  # from a broken collective to the news of the task that broke it
_ALIKE = "Start all tasks again, with the same cluster and versions."
_REFUSALS_SECONDS = 15.0  # between two lines of the log about strangers


@final
class Hub:
    """Listens at rank 0's address until every task is gone.

    service: connects to the coordination service, to which it lets tasks of other machines through.
    """

    def __init__(
        self, facts: JobInfo, token: bytes, service: Callable[[], Awaitable[Streams]], log: Callable[[str], None]
    ) -> None:
        self.welcomed = False
        self.hopeless = Hopeless(len(facts.tasks))
        self._facts = facts
        self._token = token
        self._service = service
        self._log = log
        self._members: dict[int, Member] = {}
        self._agreements: dict[str, Agreement] = {}
        self._failure: JobFailure | None = None
        self._empty = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._strangers: dict[asyncio.Task[None], None] = {}  # in the order in which they came
        self._refused = 0
        self._refused_told = float("-inf")

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

    def give_up(self, why: str) -> None:
        """Tell those who wait that this task does not wait any longer."""
        if not self.welcomed and self.hopeless.why is None:
            self._broadcast({"op": "refused", "text": f"{self._facts.task} has given up: {why}"})

    def service_ended(self) -> None:
        """Fail the job: the coordination service has ended."""
        if not self.welcomed:
            return
        text = "JAX's coordination service has ended."
        self._fail(self._members[self._facts.rank].failure(FailureKind.ORPHANED, text))

    # Who connects.

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            channel, hello = await self._authenticated(task, reader, writer)
            if hello.get("op") == "tunnel":
                await self._tunnel(channel)
            else:
                await self._member(channel, hello)
        except (OSError, asyncio.IncompleteReadError, ClusterError) as error:
            self._tell_refusal(writer.get_extra_info("peername"), error)
        except asyncio.CancelledError:
            pass  # it made room, or the hub ends; asyncio's servers complain about tasks that were cancelled
        finally:
            self._connections.discard(task)
            writer.close()

    async def _authenticated(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[Channel, Message]:
        """The connection of a task of this job, and the first message."""
        if len(self._strangers) >= MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[task] = None
        try:
            channel = await listen(reader, writer, self._token)
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                return channel, await channel.receive()
        finally:
            self._strangers.pop(task, None)

    def _tell_refusal(self, peer: Any, error: Exception) -> None:
        self._refused += 1
        now = time.monotonic()
        if now - self._refused_told >= _REFUSALS_SECONDS:  # whoever knocks often must not fill the log
            self._refused_told = now
            self._log(f"refused a connection from {peer}: {error or type(error).__name__} ({self._refused} so far)")

    async def _tunnel(self, channel: Channel) -> None:
        await pipe((channel.reader, channel.writer), await self._service())

    async def _member(self, channel: Channel, hello: Message) -> None:
        mismatch = self._facts.mismatch(hello)
        refusal = self._refusal(hello) if mismatch is None else {"text": mismatch}
        if refusal is not None:
            who = f"{hello.get('task')} of {hello.get('host')} (pid {hello.get('pid')})"
            self._log(f"refused {who}: {refusal['text']}")
            channel.send({"op": "refused", **refusal})
            await channel.writer.drain()
            if mismatch is not None:
                self._cannot_begin({"text": f"This job cannot begin, as it refused {who}: {mismatch} {_ALIKE}"})
            self.hopeless.told(hello.get("rank"))
            return
        now = time.monotonic()
        member = Member(hello["rank"], hello["task"], hello["host"], hello["pid"], channel, heard=now, entered=now)
        self._members[member.rank] = member
        self._greet()
        try:
            while True:
                self._receive(member, await channel.receive())
        except (OSError, asyncio.IncompleteReadError):
            if not member.left:
                self._fail(member.failure(FailureKind.LOST, "The connection to its supervisor ended."))
        except (KeyError, TypeError, ValueError) as error:
            self._fail(member.failure(FailureKind.LOST, f"Its supervisor sent a wrong message ({error!r})."))
        finally:
            self._gone(member)

    def _refusal(self, hello: Message) -> Message | None:
        """Why a task of this job may not join, and whether it may ask again; None if it may."""
        if self.hopeless.why is not None:
            return self.hopeless.refusal
        if self._failure is not None:
            return {"text": "this job has failed, and not all of it has ended yet.", "again": True}
        if (other := self._members.get(hello["rank"])) is not None and not other.gone:
            return {"text": f"{other.task} is already there, on {other.host} (pid {other.pid})."}
        if self.welcomed:
            return {"text": "the job has begun without it. Start all tasks again."}
        return None

    def _cannot_begin(self, why: Message) -> None:
        """Tell those who wait, and who comes later, that a task will never be there. Once all were, nobody can do that."""
        if self.welcomed or self.hopeless.why is not None:
            return
        self.hopeless.why = why
        self._broadcast({"op": "refused", **why})
        for rank in list(self._members):
            self.hopeless.told(rank)

    def _greet(self) -> None:
        """Tell everybody who is missing, or that all are there."""
        missing = [task for rank, task in enumerate(self._facts.tasks) if rank not in self._members]
        if missing:
            self._broadcast({"op": "waiting", "missing": missing})
        else:
            self.welcomed = True
            self._broadcast({"op": "welcome", "hosts": [self._members[r].host for r in sorted(self._members)]})

    def _gone(self, member: Member) -> None:
        member.gone = True
        if not self.welcomed:
            del self._members[member.rank]  # it may come again
            self._greet()
        elif all(m.gone for m in self._members.values()):
            self._empty.set()

    def _broadcast(self, message: Message) -> None:
        for member in self._members.values():
            if not member.gone:
                member.channel.send(message)

    # What they say.

    def _receive(self, member: Member, message: Message) -> None:
        member.heard = time.monotonic()
        match message["op"]:
            case "beat":
                member.step, member.phase = int(message["step"]), Phase(message["phase"])
                member.entered = member.heard - float(message["seconds"])
            case "agree":
                self._agree(member, message)
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
                self._failed(JobFailure.from_json(message["failure"]))

    def _agree(self, member: Member, message: Message) -> None:
        name, at, now = message["name"], message.get("at", ""), time.monotonic()
        agreement = self._agreements.setdefault(name, Agreement(name, now, at=at))
        agreement.values[member.rank] = message["value"]
        if at:
            member.step, member.phase, member.entered = int(message["step"]), Phase.AGREEMENT, now
            agreement.steps[member.rank] = member.step
            if (failure := apart(self._present(), [agreement])) is not None:
                self._fail(failure)
                return
        if len(agreement.values) == len(self._facts.tasks):
            del self._agreements[name]
            self._broadcast(agreement.answer())
            return
        gone = next((m for m in self._members.values() if m.left and m.rank not in agreement.values), None)
        if gone is not None:
            self._fail(gone.failure(FailureKind.LEFT, f"{member.task} waits for it ({agreement.told})."))

    def _broken(self, member: Member) -> None:
        """A collective of this task broke: a task ended, or the loss of one is told soon, or it is the network."""
        gone = next((m for m in self._members.values() if m.left), None)
        if gone is not None:
            self._fail(gone.failure(FailureKind.LEFT, f"{member.task} waits for it in step {member.step}."))
            return
        failure = member.failure(FailureKind.CUT, "Is the network between the machines broken?")
        asyncio.get_running_loop().call_later(_NEWS_SECONDS, self._fail, failure)

    def _withdraw(self, member: Member, name: str) -> None:
        agreement = self._agreements.get(name)
        if agreement is not None:
            agreement.values.pop(member.rank, None)
            agreement.steps.pop(member.rank, None)
            if not agreement.values:
                del self._agreements[name]

    def _end_agreements(self, gone: Member) -> None:
        waiting = next((a for a in self._agreements.values() if gone.rank not in a.values), None)
        if waiting is not None:
            self._fail(gone.failure(FailureKind.LEFT, f"Others wait for it ({waiting.told})."))

    def _failed(self, failure: JobFailure) -> None:
        self._fail(failure)
        if failure.kind == FailureKind.LOST:  # who is frozen before the job begins may go on
            self._cannot_begin({"text": failure.told(), "failure": failure.to_json(), "again": True})

    # What they do not say.

    def _fail(self, failure: JobFailure) -> None:
        """The first failure is the cause; what follows from it is not told."""
        if self._failure is None and self.welcomed:
            self._failure = failure
            self._broadcast({"op": "failure", "failure": failure.to_json()})

    async def _watch(self) -> None:
        turn = 0
        while True:
            before = time.monotonic()
            await asyncio.sleep(WATCH_SECONDS)
            now = time.monotonic()
            turn += 1
            if turn % _BEAT_TURNS == 0:
                self._broadcast({"op": "beat"})
            if now - before > 10 * WATCH_SECONDS:
                # This machine itself was asleep or overloaded: what the others sent is not read yet.
                for member in self._members.values():
                    member.heard = now
                continue
            self._find_silent(now)
            if self._failure is None and (failure := self._standstill(now)):
                self._fail(failure)

    def _standstill(self, now: float) -> JobFailure | None:
        present, agreements = self._present(), self._agreements
        return apart(present, agreements.values()) or stuck(present, agreements, self._facts.limits, now)

    def _present(self) -> list[Member]:
        return list(self._members.values())

    def _find_silent(self, now: float) -> None:
        for member in self._present():
            if member.gone or now - member.heard <= self._facts.limits.heartbeat:
                continue
            if not member.left:
                text = "Nothing was heard from its supervisor: its machine or the network is gone."
                self._fail(member.failure(FailureKind.LOST, text, now - member.heard))
            member.channel.abort()  # a connection without an end would keep the hub for ever
