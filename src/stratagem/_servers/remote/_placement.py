"""ServerPlacement: the placement of a variable whose value servers hold, for steps and other code."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import Arguments, RemotePlacement, Trace
from stratagem._core.values import InitializerProgram, placement_of
from stratagem._private import scoped
from stratagem._servers.remote._apply_on_servers import apply_on_servers
from stratagem._servers.remote._export import to_jax_array
from stratagem._servers.remote._lookup import RowCapacity, rows_to_look_up
from stratagem._servers.remote._markers import lookup_p
from stratagem._servers.remote._program import ParameterServerProgram
from stratagem._servers.remote._server_messages import Push
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._worker import Worker

_numbers = itertools.count()


@final
@dataclass(frozen=True, eq=False)
class RemoteArraySpec:
    """Takes the place of a variable's array in this process: its shape and dtype."""

    shape: tuple[int, ...]
    dtype: Any


@final
@dataclass(frozen=True, eq=False)
class ServerPlacement(RemotePlacement):
    """The placement of a variable on servers.

    servers: all of the strategy. home: the index of the server that holds the variable at first. key: its name there.
    """

    servers: Servers
    home: int
    key: str = field(default_factory=lambda: f"v{next(_numbers)}")

    def read(self, variable: Any) -> jax.Array:
        """Returns the value that the server has now."""
        return self.servers.read([self])[0]

    def rows(self, shards: Sequence[Any], ids: jax.Array) -> jax.Array:
        """Looks rows up on their servers, outside of a step: only these rows are sent."""
        placements: list[Any] = [placement_of(shard) for shard in shards]
        wanted = rows_to_look_up([ids], [shard.shape[0] for shard in shards], shards[0].path, RowCapacity())
        found = self.servers.retry_after_move(lambda: self._rows(placements, wanted.rows))
        return jnp.take(jnp.concatenate(found), jnp.asarray(wanted.inverse[0]), axis=0)

    def _rows(self, placements: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
        locations = [self.servers.locations(p)[0] for p in placements]
        calls = [
            self.servers.actors[location.server].call("rows", [(location.key, rows)])
            for location, rows in zip(locations, wanted, strict=True)
        ]
        return [to_jax_array(call.result().values[0]) for call in calls]

    def place(self, variable: Any, value: Any) -> RemoteArraySpec:
        """Sends a new value to every server that holds the variable."""
        array = jnp.asarray(value)
        self.servers.assign(self, array)
        self._count_change()
        return RemoteArraySpec(tuple(array.shape), array.dtype)

    def make(self, initializer: InitializerProgram, start: int, rows: int) -> RemoteArraySpec:
        """Lets the server make the first value of a new variable."""
        self.servers.make(self, initializer, start, rows)
        self._count_change()
        return RemoteArraySpec((rows, *initializer.shape[1:]), initializer.dtype)

    def add(self, variable: Any, amount: Any, sign: int) -> bool:
        """Lets the servers add the amount, so that additions of several workers at once are all counted."""
        value = jnp.broadcast_to(jnp.asarray(amount, variable._dtype), variable.shape)
        amount = value if sign > 0 else -value
        push_id = Worker.current().next_push_id()
        self.servers.push(push_id, self, lambda key: Push(added={key: amount}))
        self._count_change()
        return True

    def _count_change(self) -> None:
        """Counts a change, which the next step of this worker has to see."""
        changes = self.servers.count_change()
        if current().worker is not None:
            Worker.current().freshness.require(changes)

    def lookup(self, shards: Sequence[Any], ids: jax.Array) -> jax.Array:
        """Binds the marker of a look-up, at which the step's program is cut."""
        rows: jax.Array = lookup_p.bind(*map(scoped, shards), ids, table=id(shards[0]))
        return rows

    def apply_gradients(self, optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any]) -> None:
        """Calls `apply_on_servers`, and raises what it raises."""
        apply_on_servers(optimizer, gradients, variables)

    def program(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> ParameterServerProgram:
        """Returns the step as a program that any worker can run."""
        return ParameterServerProgram(made, arguments, mesh)
