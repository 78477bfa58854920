"""The steps by which a supervisor joins a job: rank 0's binds the hub's address, and all of them connect to it."""

import asyncio
import socket
import time
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._cluster.control._channel import Channel, Message, PeerAuthenticationError, call
from stratagem._cluster.control._hub import Hub
from stratagem._cluster.control._job_info import JobInfo
from stratagem._cluster.control._join_deadline import JoinDeadline

_PAUSE_SECONDS = 0.2
_BIND_SECONDS = 15.0  # for the last processes of an earlier job to free the address
_CONNECT_SECONDS = 10.0


@final
class RefusedError(ClusterError):
    """The hub refuses this task. failure: of the task for which the job cannot begin, if there is one."""

    def __init__(self, answer: Message) -> None:
        super().__init__(answer["text"])
        self.failure: dict[str, Any] | None = answer.get("failure")


async def bind(hub: Hub, facts: JobInfo, deadline: JoinDeadline, given_up: asyncio.Event) -> None:
    """Starts the hub. Retries for 15 s if the address is in use, and until the deadline if its name does not resolve.

    Raises:
        ClusterError: the hub cannot listen there.
    """
    end = time.monotonic() + _BIND_SECONDS
    while True:
        try:
            await hub.start()
            return
        except OSError as error:
            reason = error.strerror or error
            unresolved = isinstance(error, socket.gaierror)
            if given_up.is_set() or (not unresolved and time.monotonic() >= end):
                raise ClusterError(
                    f"{facts.task} cannot listen at {facts.hub}: {reason}. Is the port in use, is the address this machine's? "
                    f"Another process of this job may have the same index: only one may be {facts.task} (`task` in TF_CONFIG)."
                ) from None
            deadline.check(f"its own address {facts.hub} ({reason})")
            await asyncio.sleep(_PAUSE_SECONDS)


async def reach(facts: JobInfo, token: bytes, deadline: JoinDeadline, given_up: asyncio.Event) -> Channel | None:
    """Returns a connection to the hub; None if the wait was given up.

    Raises:
        ClusterError: another program, or one with another token, listens there, or nothing does for too long.
    """
    host, port = facts.address
    while not given_up.is_set():
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                reader, writer = await asyncio.open_connection(host, port)
            try:
                return await call(reader, writer, token)
            except OSError:
                writer.close()
                raise
        except PeerAuthenticationError as error:
            raise ClusterError(f"What listens at {facts.hub} is not {facts.tasks[0]} of this job: {error}.") from None
        except OSError as error:
            deadline.check(f"{facts.tasks[0]} at {facts.hub} ({error.strerror or str(error) or 'no answer'})")
            await asyncio.sleep(_PAUSE_SECONDS)
    return None
