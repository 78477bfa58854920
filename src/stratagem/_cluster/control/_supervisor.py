"""Supervisor: a small process beside a task, which outlives it, reports on it to the hub, and tells it about the others."""

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
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._cluster.control._channel import MAX_VALUE_BYTES, Message
from stratagem._cluster.control._failure import FailureKind, JobFailure
from stratagem._cluster.control._hub import Hub
from stratagem._cluster.control._hub_connection import HubConnection
from stratagem._cluster.control._job_info import JobInfo
from stratagem._cluster.control._join_deadline import JoinDeadline
from stratagem._cluster.control._joining import RefusedError, bind, reach
from stratagem._cluster.control._progress import SharedProgress
from stratagem._cluster.control._service_process import ServiceProcess
from stratagem._cluster.control._stacks import STACKS
from stratagem._cluster.control._system_calls import (
    close_outputs,
    describe_exit,
    folder_for_sockets,
    is_stopped,
    raise_handle_limit,
    signal_to,
)
from stratagem._cluster.control._token import INSECURE, is_secret, read_token
from stratagem._cluster.control._tunnel import ConnectionForwarder, Streams

BEAT_SECONDS = 0.25
_STACKS_SECONDS = 1.0  # for a task to print the stacks of its threads
_TASK_BEAT_TURNS = 2  # beats to the hub between two signs of life to the task
_RETRY_SECONDS = 0.5
_LATECOMERS_SECONDS = 5.0  # in which tasks that connect late are informed that the job cannot begin
_EXIT_SECONDS = 10.0  # from the end of a task's socket to that of its process, on a very busy machine


@final
class Supervisor:
    """The supervisor of one task. task: an end of a socket pair whose other end the task has. progress: written by the task."""

    def __init__(self, task: socket.socket, forwarder: ConnectionForwarder, progress: SharedProgress) -> None:
        self._socket = task
        self._forwarder = forwarder
        self._progress = progress
        self._ended = asyncio.Event()  # the task's process has ended, or has left the job
        self._end_text = ""
        self._left = self._joined = self._shown = False
        self._hub: HubConnection | None = None
        self._service: ServiceProcess | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._failing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Runs until the task has ended and, at rank 0, every other one."""
        self._from_task, self._to_task = await asyncio.open_connection(sock=self._socket, limit=4 * MAX_VALUE_BYTES)
        try:
            start = await self._read()
        except asyncio.IncompleteReadError:
            return  # the task has ended already
        self._facts, self._path = JobInfo.from_json(start["facts"]), start["path"]
        close_outputs()
        self._run_in_background(self._watch_task())
        self._run_in_background(self._listen_to_task())
        try:
            with tempfile.TemporaryDirectory(
                prefix="stratagem-", dir=folder_for_sockets(), ignore_cleanup_errors=True
            ) as folder:
                await self._serve(Path(folder))
        except (ClusterError, OSError) as error:
            self._send_refusal(error)
            await self._ended.wait()
        finally:
            for task in self._background:
                task.cancel()
            await asyncio.gather(*self._background, return_exceptions=True)
            await self._forwarder.close()
            self._to_task.close()

    async def _serve(self, folder: Path) -> None:
        token = read_token(os.environ, loopback=self._facts.loopback)
        if not is_secret(token):
            self._log(f"{INSECURE}=1: whoever can reach {self._facts.hub} can take part in this job.")
        deadline = JoinDeadline(self._facts, self._log)
        async with contextlib.AsyncExitStack() as stack:
            hub = None
            if self._facts.rank == 0:
                self._service = await ServiceProcess.start(folder, len(self._facts.tasks), self._path)
                stack.push_async_callback(self._service.stop)
                hub = Hub(self._facts, token, self._service.connect, self._log)
                await bind(hub, self._facts, deadline, self._ended)
                stack.push_async_callback(hub.stop)
            self._forwarder.open(folder, self._connect_to_service(token))
            try:
                await self._join(token, deadline)
            except ClusterError as error:
                self._send_refusal(error)
                if hub is not None:
                    hub.give_up(str(error))
                    await hub.aborted_start.wait_until_informed(_LATECOMERS_SECONDS)
                await self._ended.wait()
                return
            if hub is not None:
                self._run_in_background(self._watch_service(hub))
            await self._ended.wait()
            await self._report_end()
            if hub is not None and hub.welcomed:
                await hub.until_empty()

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background_ended)
        return task

    def _background_ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A supervisor that does only half of its work is worse than none: its task and the hub notice its end.
            lines = "".join(traceback.format_exception(error))
            with contextlib.suppress(OSError):
                self._socket.setblocking(True)
                self._socket.sendall(_line({"op": "log", "text": f"The supervisor failed:\n{lines}"}))
            os._exit(1)

    # The hub.

    async def _join(self, token: bytes, deadline: JoinDeadline) -> None:
        """Waits until all tasks have joined, or this one has ended.

        Raises:
            ClusterError: this task is refused, or others are missing for too long.
        """
        while not self._ended.is_set():
            channel = await reach(self._facts, token, deadline, self._ended)
            if channel is None:
                return
            hub = self._hub = HubConnection(channel, self._facts.limits.heartbeat)
            hub.send({"op": "hello", **self._hello()})
            beats = self._run_in_background(self._beat(hub))
            answer = await self._answer(hub, deadline)
            if answer["op"] == "welcome":
                if self._service is not None:
                    await self._service.until_ready(self._facts.limits.join)
                self._send_to_task({**answer, "coordination": self._forwarder.path})
                self._joined = True
                self._run_in_background(self._listen_to_hub(hub))
                return
            if self._ended.is_set():
                return  # `_report_end` tells the hub
            self._hub = None
            beats.cancel()
            await hub.close()
            if not answer.get("again") or "failure" in answer:
                raise RefusedError(answer)
            deadline.check(answer["text"])
            await asyncio.sleep(_RETRY_SECONDS)

    async def _answer(self, hub: HubConnection, deadline: JoinDeadline) -> Message:
        """Waits for the hub's welcome or refusal and returns it."""
        missing = self._facts.tasks[0]
        while True:
            try:
                async with asyncio.timeout(deadline.pause):
                    message = await hub.next()
            except TimeoutError:
                deadline.check(missing)
                continue
            if message is None:
                text = f"{self._facts.tasks[0]} at {self._facts.hub} (the connection ended before the job began)"
                return {"op": "refused", "again": True, "text": text}
            if message["op"] != "waiting":
                return message
            missing = ", ".join(map(self._facts.place_of, message["missing"]))

    def _hello(self) -> Message:
        facts = self._facts
        place = {"host": socket.gethostname(), "pid": facts.pid}
        return {"rank": facts.rank, "task": facts.task, "cluster": facts.cluster, "versions": facts.versions, **place}

    async def _listen_to_hub(self, hub: HubConnection) -> None:
        while (message := await hub.next()) is not None:
            self._send_to_task(message)
            if message["op"] == "failure":
                failure = JobFailure.from_json(message["failure"])
                self._failing = self._run_in_background(self._kill_if_stuck(failure))
        position = self._progress.read()
        place = (position.step, position.phase, hub.reason, self._facts.address[0], 0, hub.silent_seconds)
        self._send_to_task(
            {"op": "failure", "failure": JobFailure(self._facts.tasks[0], 0, FailureKind.LOST, *place).to_json()}
        )

    async def _beat(self, hub: HubConnection) -> None:
        """Reports the task's position to the hub, also that it is frozen, and sends the task signs of life."""
        turn, last, stopped_since = 0, time.monotonic(), 0.0
        while True:
            now = time.monotonic()
            self._report_position(hub)
            hub.check(overslept=now - last > 10 * BEAT_SECONDS)
            if turn % _TASK_BEAT_TURNS == 0:
                self._send_to_task({"op": "beat"})
            stopped_since = (stopped_since or now) if is_stopped(self._facts.pid) else 0.0
            if stopped_since and now - stopped_since > self._facts.limits.heartbeat:
                self._report(FailureKind.FROZEN, "", now - stopped_since)
            turn, last = turn + 1, now
            await asyncio.sleep(BEAT_SECONDS)

    def _report_position(self, hub: HubConnection) -> None:
        position = self._progress.read()
        place = {"step": position.step, "phase": int(position.phase), "seconds": time.monotonic() - position.since}
        hub.send({"op": "beat", **place})

    def _report(self, kind: FailureKind, text: str, waited: float = 0.0) -> None:
        position, facts = self._progress.read(), self._facts
        place = (position.step, position.phase, text, socket.gethostname(), facts.pid, waited)
        if self._hub is not None:
            self._hub.send({"op": "failed", "failure": JobFailure(facts.task, facts.rank, kind, *place).to_json()})

    async def _watch_service(self, hub: Hub) -> None:
        assert self._service is not None
        await self._service.until_ended()
        hub.service_ended()

    def _connect_to_service(self, token: bytes) -> Callable[[], Awaitable[Streams | None]]:
        """Returns the function that connects to the coordination service: directly at rank 0, else through the hub."""
        if self._service is not None:
            return self._service.connect

        async def through_hub() -> Streams | None:
            channel = await reach(self._facts, token, JoinDeadline(self._facts, self._log), self._ended)
            if channel is None:
                return None
            channel.send({"op": "tunnel"})
            return channel.reader, channel.writer

        return through_hub

    # The task.

    async def _listen_to_task(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                message = await self._read()
                if message["op"] == "raised":
                    self._left = True
                    self._report(FailureKind.RAISED, message["text"])
                elif message["op"] == "shown":
                    self._shown = True
                elif message["op"] == "closed":  # the process may live on, and join again
                    self._left = True
                    self._end("It has given the job up.")
                elif self._hub is not None:
                    self._left = self._left or message["op"] == "left"
                    self._report_position(self._hub)  # steps may be shorter than the time between two beats
                    self._hub.send(message)
        try:
            async with asyncio.timeout(_EXIT_SECONDS):
                await self._ended.wait()
        except TimeoutError:
            self._end("It has cut its own connection to its supervisor: by exec, or by closing all handles.")

    async def _watch_task(self) -> None:
        """Notices the end of the task's process, also if children that it forked keep its sockets open."""
        try:
            handle = os.pidfd_open(self._facts.pid)
        except OSError:  # it has ended, or this system has no such handles
            while os.getppid() == self._facts.pid:
                await asyncio.sleep(BEAT_SECONDS)
            self._end(describe_exit(self._facts.pid, None))
            return
        loop = asyncio.get_running_loop()
        loop.add_reader(handle, lambda: self._end(describe_exit(self._facts.pid, handle)))
        try:
            if os.getppid() != self._facts.pid:  # the pid belongs to another process already
                self._end(describe_exit(0, None))
            await self._ended.wait()
        finally:
            loop.remove_reader(handle)
            os.close(handle)

    def _end(self, text: str) -> None:
        if self._ended.is_set():
            return
        self._end_text = text
        self._ended.set()
        if self._hub is not None:
            self._hub.wake()  # ends the wait in `_join`

    async def _report_end(self) -> None:
        if self._failing is not None:
            self._failing.cancel()
        if self._hub is None:
            return
        if not self._left:
            self._report(FailureKind.LOST, self._end_text)
        await self._hub.close()

    async def _kill_if_stuck(self, failure: JobFailure) -> None:
        """Kills the task if it is the one that is stuck and does not end in time, after it has printed its stacks."""
        if failure.kind not in (FailureKind.STUCK, FailureKind.FROZEN) or failure.rank != self._facts.rank:
            return
        await asyncio.sleep(self._facts.limits.leave)
        if not self._shown:
            signal_to(self._facts.pid, STACKS)  # the task is in C code that lets no thread run
            await asyncio.sleep(_STACKS_SECONDS)
        self._log(f"{self._facts.task} does not end: it is killed.")
        signal_to(self._facts.pid, signal.SIGKILL)

    def _send_to_task(self, message: Message) -> None:
        self._to_task.write(_line(message))

    def _send_refusal(self, error: ClusterError | OSError) -> None:
        failure = {"failure": error.failure} if isinstance(error, RefusedError) and error.failure else {}
        self._send_to_task({"op": "refused", "text": str(error), **failure})

    def _log(self, text: str) -> None:
        self._send_to_task({"op": "log", "text": text})

    async def _read(self) -> Message:
        line = await self._from_task.readline()
        if not line.endswith(b"\n"):
            raise asyncio.IncompleteReadError(line, None)
        message: Message = json.loads(line)
        return message


def _line(message: Message) -> bytes:
    return json.dumps(message).encode() + b"\n"


def main() -> None:
    """Runs a supervisor.

    argv: the handles of the socket to the task, its listener, the receiver of connections, and progress.
    """
    logging.basicConfig(level=logging.CRITICAL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the supervisor ends when its task has ended
    raise_handle_limit()
    *sockets, handle = map(int, sys.argv[1:5])
    task, listener, receiver = (socket.socket(fileno=each) for each in sockets)
    forwarder = ConnectionForwarder(listener, receiver)
    progress = SharedProgress(handle)
    os.close(handle)
    asyncio.run(Supervisor(task, forwarder, progress).run())
