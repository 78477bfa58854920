"""A task's supervisor: a small process beside it that outlives it, tells the hub about it, and tells it about the others."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import final

from stratagem._errors import ClusterError
from stratagem.cluster.control._facts import Facts
from stratagem.cluster.control._failure import Failure, Kind
from stratagem.cluster.control._hub import Hub, pipe
from stratagem.cluster.control._progress import Progress
from stratagem.cluster.control._token import read_token
from stratagem.cluster.control._wire import MOST_BYTES, Channel, Message, WireError, call

BEAT_SECONDS = 0.25
WAITING_SECONDS = 15.0  # between two reports of who is missing
STACKS = signal.SIGRTMIN + 7  # asks the task for the stacks of its threads
_SERVICE = """
import sys
sys.path.append(sys.argv.pop(1))
from stratagem.cluster.control import _service
_service.main()
"""


@final
class Supervisor:
    """One task's. `worker` is its end of a socket pair; `progress` is the memory that the task writes to."""

    def __init__(self, worker: socket.socket, progress: Progress) -> None:
        self._socket = worker
        self._progress = progress
        self._ended = asyncio.Event()  # the task's process has ended
        self._left = False
        self._hub: Channel | None = None
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue()  # from the hub; None at its end, or the task's
        self._failing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve until the task, and at rank 0 every other one, has gone."""
        self._from_worker, self._to_worker = await asyncio.open_connection(sock=self._socket, limit=4 * MOST_BYTES)
        self._facts = Facts.from_json((await self._read())["facts"])
        with tempfile.TemporaryDirectory(prefix="stratagem-", dir=_short_folder()) as folder:
            self._folder = Path(folder)
            await self._serve()

    async def _serve(self) -> None:
        background = [asyncio.create_task(self._notice_end()), asyncio.create_task(self._listen_to_worker())]
        hub = None
        try:
            token = read_token(os.environ, loopback=self._facts.loopback)
            if self._facts.rank == 0:
                hub = await self._start_hub(token)
            self._hub = await self._join(token)
            if self._hub is not None:
                background += [asyncio.create_task(self._beat()), asyncio.create_task(self._listen_to_hub())]
            await self._ended.wait()
            await self._tell_end()
            if hub is not None:
                await hub.until_empty()
        except (ClusterError, OSError) as error:
            self._tell({"op": "refused", "text": _reason(error, self._facts)})
            await self._ended.wait()
        finally:
            for task in background:
                task.cancel()
            if hub is not None:
                await hub.stop()
                await self._stop_service()

    # At rank 0.

    async def _start_hub(self, token: bytes) -> Hub:
        service = str(self._folder / "service")
        hub = Hub(self._facts, token, service, self._log)
        await hub.start()
        root = str(Path(__file__).parents[3])
        self._service = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", _SERVICE, root, service, str(len(self._facts.tasks)),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        return hub

    async def _stop_service(self) -> None:
        assert self._service.stdin is not None
        self._service.stdin.close()
        try:
            async with asyncio.timeout(5):
                await self._service.wait()
        except TimeoutError:
            self._service.kill()
            await self._service.wait()

    async def _until_service_is_ready(self) -> None:
        if self._facts.rank == 0:
            assert self._service.stdout is not None
            if await self._service.stdout.readline() != b"ready\n":
                raise ClusterError("JAX's coordination service did not start.")

    # Towards the hub.

    async def _join(self, token: bytes) -> Channel | None:
        """Connect and wait until all tasks are there; None when the task was told that this failed, or ended."""
        end = time.monotonic() + self._facts.limits.join
        channel = await self._call(token, end)
        if channel is None:
            return None
        channel.send({"op": "hello", **self._hello()})
        self._receiving = asyncio.create_task(self._receive(channel))
        missing: list[str] = []
        while True:
            try:
                async with asyncio.timeout(min(WAITING_SECONDS, max(0.0, end - time.monotonic()))):
                    message = await self._inbox.get()
            except TimeoutError:
                self._log(f"{self._facts.task} waits for {', '.join(missing)}")
                if time.monotonic() >= end:
                    raise ClusterError(_waited_for(missing, self._facts)) from None
                continue
            if message is None:
                if self._ended.is_set():
                    return None
                raise ClusterError(
                    f"The connection to {self._facts.tasks[0]} at {self._facts.hub} ended before the job began."
                )
            if message["op"] == "waiting":
                missing = message["missing"]
            elif message["op"] == "refused":
                self._tell(message)
                return None
            else:
                await self._until_service_is_ready()
                self._tell({**message, "coordination": await self._coordination(token)})
                return channel

    async def _receive(self, channel: Channel) -> None:
        """Everything from the hub into the inbox: a wait for one message may be given up, a read must not be."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                self._inbox.put_nowait(await channel.receive())
        self._inbox.put_nowait(None)

    async def _call(self, token: bytes, end: float) -> Channel | None:
        host, port = self._facts.address
        told = time.monotonic()
        while not self._ended.is_set():
            try:
                async with asyncio.timeout(10):
                    reader, writer = await asyncio.open_connection(host, port)
                return await call(reader, writer, token)
            except WireError as error:
                raise ClusterError(
                    f"What listens at {self._facts.hub} is not {self._facts.tasks[0]} of this job: {error}."
                ) from None
            except (OSError, TimeoutError) as error:
                now = time.monotonic()
                reason = (
                    f"{self._facts.tasks[0]} at {self._facts.hub} ({getattr(error, 'strerror', None) or 'no answer'})"
                )
                if now >= end:
                    raise ClusterError(_waited_for([reason], self._facts)) from None
                if now - told >= WAITING_SECONDS:
                    told = now
                    self._log(f"{self._facts.task} waits for {reason}")
                await asyncio.sleep(0.2)
        return None

    def _hello(self) -> Message:
        facts = self._facts
        return {
            "rank": facts.rank,
            "task": facts.task,
            "cluster": facts.cluster,
            "versions": facts.versions,
            "host": socket.gethostname(),
            "pid": facts.pid,
        }

    async def _coordination(self, token: bytes) -> str:
        """The path at which this task finds the coordination service: the service's own, or a tunnel to it."""
        if self._facts.rank == 0:
            return str(self._folder / "service")
        path = str(self._folder / "tunnel")

        async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):  # the hub has gone: the client sees its connection end
                hub_reader, hub_writer = await asyncio.open_connection(*self._facts.address)
                channel = await call(hub_reader, hub_writer, token)
                channel.send({"op": "tunnel"})
                await pipe(reader, writer, hub_reader, hub_writer)
            writer.close()

        self._tunnels = await asyncio.start_unix_server(tunnel, path)
        return path

    async def _listen_to_hub(self) -> None:
        while (message := await self._inbox.get()) is not None:
            self._tell(message)
            if message["op"] == "failure":
                self._failing = asyncio.create_task(self._end_after(Failure.from_json(message["failure"])))
        text = "The connection to its supervisor ended: its machine or the network is gone."
        position = self._progress.read()
        place = (position.step, position.phase, text, self._facts.address[0], 0, 0.0)
        self._tell({"op": "failure", "failure": Failure(self._facts.tasks[0], 0, Kind.LOST, *place).to_json()})

    async def _beat(self) -> None:
        """Tell the hub where the task is, and that it is frozen."""
        assert self._hub is not None
        stopped_since: float | None = None
        while not self._ended.is_set():
            now = time.monotonic()
            if not self._left:
                self._send_beat(self._hub)
            stopped_since = (stopped_since or now) if _is_stopped(self._facts.pid) else None
            if stopped_since is not None and now - stopped_since > self._facts.limits.heartbeat:
                self._report(Kind.FROZEN, "", now - stopped_since)
                return
            await asyncio.sleep(BEAT_SECONDS)

    def _send_beat(self, hub: Channel) -> None:
        position = self._progress.read()
        place = {"step": position.step, "phase": int(position.phase), "seconds": time.monotonic() - position.since}
        hub.send({"op": "beat", **place})

    def _report(self, kind: Kind, text: str, waited: float = 0.0) -> None:
        position, facts = self._progress.read(), self._facts
        place = (position.step, position.phase, text, socket.gethostname(), facts.pid, waited)
        if self._hub is not None:
            self._hub.send({"op": "failed", "failure": Failure(facts.task, facts.rank, kind, *place).to_json()})

    # Towards the task.

    async def _listen_to_worker(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                message = await self._read()
                if message["op"] == "raised":
                    self._left = True
                    self._report(Kind.RAISED, message["text"])
                elif self._hub is not None:
                    if message["op"] == "left":
                        self._left = True
                        self._send_beat(self._hub)
                    self._hub.send(message)

    async def _notice_end(self) -> None:
        """The task's end, also when children that it forked keep its sockets open."""
        try:
            handle = os.pidfd_open(self._facts.pid)
        except ProcessLookupError:
            self._ended.set()
            self._inbox.put_nowait(None)
            return
        loop = asyncio.get_running_loop()
        loop.add_reader(handle, self._ended.set)
        try:
            await self._ended.wait()
            self._inbox.put_nowait(None)  # wakes a join that waits
        finally:
            loop.remove_reader(handle)
            os.close(handle)

    async def _tell_end(self) -> None:
        if self._failing is not None:
            self._failing.cancel()
        if self._hub is None:
            return
        if not self._left:
            self._report(Kind.LOST, "Its process ended without a word: killed (SIGKILL, out of memory?) or crashed.")
        with contextlib.suppress(ConnectionError, TimeoutError):  # the hub may have gone first
            async with asyncio.timeout(5):
                self._hub.close()
                await self._hub.writer.wait_closed()

    async def _end_after(self, failure: Failure) -> None:
        """Show the task's stacks if somebody is stuck; end it if it is the one and does not end by itself."""
        if failure.kind in (Kind.STUCK, Kind.FROZEN):
            _signal(self._facts.pid, STACKS)
        if failure.rank != self._facts.rank or failure.kind not in (Kind.STUCK, Kind.FROZEN):
            return
        await asyncio.sleep(self._facts.limits.leave)
        self._log(f"{self._facts.task} does not end: it is killed.")
        _signal(self._facts.pid, signal.SIGKILL)

    def _tell(self, message: Message) -> None:
        self._to_worker.write(json.dumps(message).encode() + b"\n")

    def _log(self, text: str) -> None:
        self._tell({"op": "log", "text": text})

    async def _read(self) -> Message:
        line = await self._from_worker.readline()
        if not line:
            raise asyncio.IncompleteReadError(b"", None)
        message: Message = json.loads(line)
        return message


def _waited_for(missing: list[str], facts: Facts) -> str:
    return (
        f"{facts.task} waited {facts.limits.join:.0f} s for {', '.join(missing)}. Are all tasks started, with the same "
        "cluster, and can they reach each other? STRATAGEM_JOIN_SECONDS changes the limit."
    )


def _reason(error: Exception, facts: Facts) -> str:
    if isinstance(error, ClusterError):
        return str(error)
    reason = getattr(error, "strerror", None) or error
    return f"{facts.task} cannot listen at {facts.hub}: {reason}. Is the port in use, is the address this machine's?"


def _is_stopped(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _short_folder() -> str | None:
    """Where to make a folder for sockets, whose paths may have 107 characters."""
    return None if len(tempfile.gettempdir()) < 60 else "/tmp"


def main() -> None:
    """argv: the handles of the socket to the task and of its progress."""
    logging.basicConfig(level=logging.CRITICAL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends when its task has ended
    worker = socket.socket(fileno=int(sys.argv[1]))
    handle = int(sys.argv[2])
    progress = Progress(handle)
    os.close(handle)
    asyncio.run(Supervisor(worker, progress).run())
