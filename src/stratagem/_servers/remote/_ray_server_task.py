"""What runs at a `ps` task of a job of several processes: a variable server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax

from stratagem._base.errors import UnavailableError
from stratagem._servers.remote._export import given, imported, imported_maker, shapes_of
from stratagem._servers.remote._push import Origin, Push
from stratagem._servers.remote._push_log import History
from stratagem._servers.remote._ray_task import RayTask
from stratagem._servers.remote._server import Traffic, VariableServer
from stratagem._servers.remote._update import UpdateSpec, flat


@final
@dataclass(eq=False)
class ExportedUpdate:
    """An update at a server, without its optimizer: programs by the shapes of gradients."""

    facts: UpdateSpec
    programs: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        tables, others = self.facts.split(values)
        arrays = flat(gradients)
        return self.programs[shapes_of(arrays)](tables, others, list(map(given, arrays)))


@final
class ServerTask(RayTask):
    """The variable server of a `ps` task."""

    def __init__(self, index: int, prepare: Callable[[], None]) -> None:
        super().__init__(prepare)
        self._index = index
        self.begin_anew()

    def begin_anew(self) -> None:
        """A coordinator comes: it makes variables of its own, and what an older one's workers still push is refused."""
        self._server = VariableServer(self._index)
        self._updates: dict[int, ExportedUpdate] = {}
        self._coordinator = ""

    def serve(self, coordinator: str) -> None:
        """Take pushes of this coordinator's closures."""
        self._coordinator = coordinator

    def create(self, key: str, value: Any, history: History | None = None) -> None:
        """As VariableServer's."""
        self._server.create(key, value, history)

    def make(self, key: str, program: bytes, arguments: Sequence[Any]) -> None:
        """As VariableServer's, with a program that has travelled."""
        self._server.make(key, imported_maker(program), arguments)

    def forget(self, keys: Any) -> None:
        """As VariableServer's."""
        self._server.forget(keys)

    def release(self, key: str) -> tuple[jax.Array, History]:
        """As VariableServer's."""
        value, history = self._server.release(key)
        return jax.block_until_ready(value), history

    def read(self, keys: Sequence[str]) -> tuple[int, list[jax.Array]]:
        """As VariableServer's."""
        with self._server.busy:
            pushes, values = self._server.read(keys)
            return pushes, jax.block_until_ready(values)

    def rows(self, wanted: Sequence[tuple[str, Any]]) -> tuple[int, list[jax.Array]]:
        """As VariableServer's."""
        with self._server.busy:
            pushes, values = self._server.rows(wanted)
            return pushes, jax.block_until_ready(values)

    def traffic(self) -> Traffic:
        """As VariableServer's."""
        return self._server.traffic()

    def learn(self, number: int, facts: UpdateSpec, keys: Sequence[str]) -> None:
        """An update that pushes may ask for."""
        self._updates[number] = ExportedUpdate(facts)
        self._server.learn(number, self._updates[number], keys)

    def forget_update(self, number: int) -> None:
        """As VariableServer's."""
        self._updates.pop(number, None)
        self._server.forget_update(number)

    def extend(self, number: int, shapes: Any, program: bytes) -> None:
        """The program of an update for gradients of these shapes."""
        self._updates[number].programs[shapes] = imported(program, donated=(0,))

    def push(self, origin: Origin | None, push: Push) -> bool:
        """As VariableServer's. Raises UnavailableError for a closure of another coordinator than that of now."""
        if origin is not None and origin.coordinator != self._coordinator:
            raise UnavailableError("Another coordinator has taken over the job.")
        added = {k: given(v) for k, v in push.added.items()}
        return self._server.push(origin, Push(push.updates, added, push.set, push.seen))

    def push_and_read(self, origin: Origin | None, push: Push, keys: Sequence[str]) -> tuple[int, list[jax.Array]]:
        """As VariableServer's."""
        self.push(origin, push)
        return self.read(keys)
