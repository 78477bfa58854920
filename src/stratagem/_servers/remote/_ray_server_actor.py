"""ServerTask: the actor of a `ps` task in a job of several processes, with a variable server."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax

from stratagem._base.errors import UnavailableError
from stratagem._servers.remote._export import as_argument, imported, imported_maker, shapes_of
from stratagem._servers.remote._local_socket import LinkAddress, LinkListener, links_exist
from stratagem._servers.remote._push_log import History
from stratagem._servers.remote._ray_task import RayTask
from stratagem._servers.remote._server import ServerStatistics, VariableServer, VariableTransfer
from stratagem._servers.remote._server_messages import Push, PushId, ReadReply
from stratagem._servers.remote._task_process import TaskProcess
from stratagem._servers.remote._update import UpdateSpec, flat


@final
@dataclass(eq=False)
class ExportedUpdate:
    """An update at a server, without its optimizer: its programs, by the shapes of the gradients."""

    spec: UpdateSpec
    programs: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        tables, others = self.spec.split(values)
        arrays = flat(gradients)
        return self.programs[shapes_of(arrays)](tables, others, list(map(as_argument, arrays)))


@final
class ServerTask(RayTask):
    """The variable server of a `ps` task."""

    def __init__(self, index: int, prepare: Callable[[], None], process: TaskProcess) -> None:
        super().__init__(prepare, process)
        self._index = index
        self._lock = threading.Lock()
        self._listener: LinkListener | None = None
        self.reset()

    def reset(self) -> None:
        """Starts with an empty server, for a new coordinator; pushes of an older one's workers are refused."""
        self._server = VariableServer(self._index)
        self._updates: dict[int, ExportedUpdate] = {}
        self._coordinator = ""

    def link_address(self) -> LinkAddress | None:
        """Returns where processes of this machine may call the task past Ray; None if this system has no such sockets."""
        if not links_exist():
            return None
        with self._lock:
            if self._listener is None:
                self._listener = LinkListener(self.answer)
            return self._listener.address

    def serve(self, coordinator: str) -> None:
        """Accepts pushes of this coordinator's closures."""
        self._coordinator = coordinator

    def create(self, key: str, value: Any, history: History | None = None) -> None:
        """Calls `VariableServer.create`."""
        self._server.create(key, value, history)

    def make(self, key: str, program: bytes, arguments: Sequence[Any]) -> None:
        """Calls `VariableServer.make` with an exported program."""
        self._server.make(key, imported_maker(program), arguments)

    def forget(self, keys: Any) -> None:
        """Calls `VariableServer.forget`."""
        self._server.forget(keys)

    def release(self, key: str) -> VariableTransfer:
        """Calls `VariableServer.release`; returns when the value is computed."""
        released = self._server.release(key)
        jax.block_until_ready(released.value)
        return released

    def read(self, keys: Sequence[str]) -> ReadReply:
        """Calls `VariableServer.read`; returns when the values are computed."""
        with self._server.busy:
            found = self._server.read(keys)
            jax.block_until_ready(found.values)
            return found

    def rows(self, wanted: Sequence[tuple[str, Any]]) -> ReadReply:
        """Calls `VariableServer.rows`; returns when the rows are computed."""
        with self._server.busy:
            found = self._server.rows(wanted)
            jax.block_until_ready(found.values)
            return found

    def traffic(self) -> ServerStatistics:
        """Calls `VariableServer.traffic`."""
        return self._server.traffic()

    def learn(self, number: int, spec: UpdateSpec, keys: Sequence[str]) -> None:
        """Registers an update that pushes may apply by its number; its programs are sent later."""
        self._updates[number] = ExportedUpdate(spec)
        self._server.learn(number, self._updates[number], keys)

    def forget_update(self, number: int) -> None:
        """Calls `VariableServer.forget_update`."""
        self._updates.pop(number, None)
        self._server.forget_update(number)

    def extend(self, number: int, shapes: Any, program: bytes) -> None:
        """Adds the program of an update for gradients of these shapes."""
        self._updates[number].programs[shapes] = imported(program, donated=(0,))

    def push(self, push_id: PushId | None, push: Push) -> bool:
        """Calls `VariableServer.push`. Raises UnavailableError for a closure of another coordinator than the present one."""
        if push_id is not None and push_id.coordinator != self._coordinator:
            raise UnavailableError("Another coordinator has taken over the job.")
        added = {k: as_argument(v) for k, v in push.added.items()}
        return self._server.push(push_id, Push(push.updates, added, push.set, push.seen))

    def push_and_read(self, push_id: PushId | None, push: Push, keys: Sequence[str]) -> ReadReply:
        """Calls `push`, then `read`."""
        self.push(push_id, push)
        return self.read(keys)
