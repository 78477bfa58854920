"""Hub: the centre of a job's control channel, in rank 0's supervisor. Relays messages and detects failures."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.job import Phase
from stratagem._cluster.control._channel import HANDSHAKE_SECONDS, Channel, Message, listen
from stratagem._cluster.control._failure import FailureKind, JobFailure
from stratagem._cluster.control._job_info import JobInfo
from stratagem._cluster.control._progress_checks import Member, PendingAgreement, find_diverged, find_stuck
from stratagem._cluster.control._start_refusal import StartRefusal
from stratagem._cluster.control._tunnel import Streams, pipe

WATCH_SECONDS = 0.25
MAX_STRANGERS = 128  # unauthenticated connections at a time; a new one replaces the oldest
_BEAT_TURNS = 2  # checks of `_watch` between two signs of life to the tasks
_NEWS_SECONDS = 3.0  # from a broken collective to the news of the task that broke it
_START_AGAIN = "Start all tasks again, with the same cluster and versions."
_REFUSALS_SECONDS = 15.0  # between two lines of the log about refused connections


@final
class Hub:
    """Listens at rank 0's address until every task has ended.

    service: connects to the coordination service, for tasks of other machines.
    """

    def __init__(
        self, facts: JobInfo, token: bytes, service: Callable[[], Awaitable[Streams]], log: Callable[[str], None]
    ) -> None:
        self.welcomed = False
        self.aborted_start = StartRefusal(len(facts.tasks))
        self._facts = facts
        self._token = token
        self._service = service
        self._log = log
        self._members: dict[int, Member] = {}
        self._agreements: dict[str, PendingAgreement] = {}
        self._failure: JobFailure | None = None
        self._empty = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._strangers: dict[asyncio.Task[None], None] = {}  # the oldest first
        self._refused = 0
        self._refused_logged = float("-inf")

    async def start(self) -> None:
        """Binds the address and begins to watch the tasks.

        Raises:
            OSError: the address is in use, or not this machine's.
        """
        host, port = self._facts.address
        self._server = await asyncio.start_server(self._connected, host, port)
        self._watcher = asyncio.create_task(self._watch())

    async def until_empty(self) -> None:
        """Waits until all tasks have disconnected."""
        await self._empty.wait()

    async def stop(self) -> None:
        """Ends all connections."""
        self._watcher.cancel()
        self._server.close()
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(self._watcher, *self._connections, return_exceptions=True)

    def give_up(self, why: str) -> None:
        """Refuses all tasks that wait, because this task does not wait any longer."""
        if not self.welcomed and self.aborted_start.reason is None:
            self._broadcast({"op": "refused", "text": f"{self._facts.task} has given up: {why}"})

    def service_ended(self) -> None:
        """Fails the job: the coordination service has ended."""
        if not self.welcomed:
            return
        text = "JAX's coordination service has ended."
        self._fail(self._members[self._facts.rank].failure(FailureKind.ORPHANED, text))

    # Connections.

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
            self._log_refusal(writer.get_extra_info("peername"), error)
        except asyncio.CancelledError:
            pass  # replaced by a newer connection, or the hub ends; asyncio's servers would log the error
        finally:
            self._connections.discard(task)
            writer.close()

    async def _authenticated(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[Channel, Message]:
        """Returns the connection of a task of this job, and its first message."""
        if len(self._strangers) >= MAX_STRANGERS:
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

    def _log_refusal(self, peer: Any, error: Exception) -> None:
        self._refused += 1
        now = time.monotonic()
        if now - self._refused_logged >= _REFUSALS_SECONDS:  # many attempts must not fill the log
            self._refused_logged = now
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
                self._abort_start({"text": f"This job cannot begin, as it refused {who}: {mismatch} {_START_AGAIN}"})
            self.aborted_start.note_informed(hello.get("rank"))
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
            self._disconnected(member)

    def _refusal(self, hello: Message) -> Message | None:
        """Returns why a task of this job may not join, and whether it may try again; None if it may join."""
        if self.aborted_start.reason is not None:
            return self.aborted_start.refusal
        if self._failure is not None:
            return {"text": "this job has failed, and not all of it has ended yet.", "again": True}
        if (other := self._members.get(hello["rank"])) is not None and not other.disconnected:
            return {"text": f"{other.task} is already there, on {other.host} (pid {other.pid})."}
        if self.welcomed:
            return {"text": "the job has begun without it. Start all tasks again."}
        return None

    def _abort_start(self, reason: Message) -> None:
        """Refuses all tasks, those that wait and those that connect later. Does nothing once the job has begun."""
        if self.welcomed or self.aborted_start.reason is not None:
            return
        self.aborted_start.reason = reason
        self._broadcast({"op": "refused", **reason})
        for rank in list(self._members):
            self.aborted_start.note_informed(rank)

    def _greet(self) -> None:
        """Tells all tasks which ones are missing, or that all have joined."""
        missing = [task for rank, task in enumerate(self._facts.tasks) if rank not in self._members]
        if missing:
            self._broadcast({"op": "waiting", "missing": missing})
        else:
            self.welcomed = True
            self._broadcast({"op": "welcome", "hosts": [self._members[r].host for r in sorted(self._members)]})

    def _disconnected(self, member: Member) -> None:
        member.disconnected = True
        if not self.welcomed:
            del self._members[member.rank]  # it may join again
            self._greet()
        elif all(m.disconnected for m in self._members.values()):
            self._empty.set()

    def _broadcast(self, message: Message) -> None:
        for member in self._members.values():
            if not member.disconnected:
                member.channel.send(message)

    # Messages.

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
        agreement = self._agreements.setdefault(name, PendingAgreement(name, now, at=at))
        agreement.values[member.rank] = message["value"]
        if at:
            member.step, member.phase, member.entered = int(message["step"]), Phase.AGREEMENT, now
            agreement.steps[member.rank] = member.step
            if (failure := find_diverged(self._present(), [agreement])) is not None:
                self._fail(failure)
                return
        if len(agreement.values) == len(self._facts.tasks):
            del self._agreements[name]
            self._broadcast(agreement.answer())
            return
        ended = next((m for m in self._members.values() if m.left and m.rank not in agreement.values), None)
        if ended is not None:
            self._fail(ended.failure(FailureKind.LEFT, f"{member.task} waits for it ({agreement.description})."))

    def _broken(self, member: Member) -> None:
        """Handles a broken collective: a task has ended, or its loss is reported soon, or the network is the cause."""
        ended = next((m for m in self._members.values() if m.left), None)
        if ended is not None:
            self._fail(ended.failure(FailureKind.LEFT, f"{member.task} waits for it in step {member.step}."))
            return
        failure = member.failure(FailureKind.DISCONNECTED, "Is the network between the machines broken?")
        asyncio.get_running_loop().call_later(_NEWS_SECONDS, self._fail, failure)

    def _withdraw(self, member: Member, name: str) -> None:
        agreement = self._agreements.get(name)
        if agreement is not None:
            agreement.values.pop(member.rank, None)
            agreement.steps.pop(member.rank, None)
            if not agreement.values:
                del self._agreements[name]

    def _end_agreements(self, ended: Member) -> None:
        waiting = next((a for a in self._agreements.values() if ended.rank not in a.values), None)
        if waiting is not None:
            self._fail(ended.failure(FailureKind.LEFT, f"Others wait for it ({waiting.description})."))

    def _failed(self, failure: JobFailure) -> None:
        self._fail(failure)
        if failure.kind == FailureKind.LOST:  # a task that is frozen before the job begins may continue
            self._abort_start({"text": failure.description(), "failure": failure.to_json(), "again": True})

    # Failures.

    def _fail(self, failure: JobFailure) -> None:
        """Broadcasts the first failure, which is the cause; ones that follow from it are ignored."""
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
                # This machine itself was asleep or overloaded: messages of the others were not read yet.
                for member in self._members.values():
                    member.heard = now
                continue
            self._find_silent(now)
            if self._failure is None and (failure := self._find_standstill(now)):
                self._fail(failure)

    def _find_standstill(self, now: float) -> JobFailure | None:
        present, agreements = self._present(), self._agreements
        return find_diverged(present, agreements.values()) or find_stuck(present, agreements, self._facts.limits, now)

    def _present(self) -> list[Member]:
        return list(self._members.values())

    def _find_silent(self, now: float) -> None:
        for member in self._present():
            if member.disconnected or now - member.heard <= self._facts.limits.heartbeat:
                continue
            if not member.left:
                text = "Nothing was heard from its supervisor: its machine or the network is gone."
                self._fail(member.failure(FailureKind.LOST, text, now - member.heard))
            member.channel.abort()  # otherwise the hub would wait for this connection for ever
