"""ServerPlacement: a variable whose value is kept by servers, and how steps and other code reach it."""

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
from stratagem._servers.remote._deferred import apply_on_servers
from stratagem._servers.remote._export import local
from stratagem._servers.remote._lookup import RowCapacity, rows_to_look_up
from stratagem._servers.remote._markers import lookup_p
from stratagem._servers.remote._program import ServerProgram
from stratagem._servers.remote._push import Push
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._worker import Worker

_numbers = itertools.count()


@final
@dataclass(frozen=True, eq=False)
class StoredRemotely:
    """What a served variable stores here: that its server has the value."""

    shape: tuple[int, ...]
    dtype: Any


@final
@dataclass(frozen=True, eq=False)
class ServerPlacement(RemotePlacement):
    """servers: all of the strategy. home: the index of the one that keeps the variable. key: its name there."""

    servers: Servers
    home: int
    key: str = field(default_factory=lambda: f"v{next(_numbers)}")

    def read(self, variable: Any) -> jax.Array:
        """The value that the server has now."""
        return self.servers.read([self])[0]

    def rows(self, shards: Sequence[Any], ids: jax.Array) -> jax.Array:
        """As RemotePlacement's: only these rows travel."""
        placements: list[Any] = [placement_of(shard) for shard in shards]
        wanted = rows_to_look_up([ids], [shard.shape[0] for shard in shards], shards[0].path, RowCapacity())
        found = self.servers.wherever(lambda: self._rows(placements, wanted.rows))
        return jnp.take(jnp.concatenate(found), jnp.asarray(wanted.inverse[0]), axis=0)

    def _rows(self, placements: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
        places = [self.servers.places(p)[0] for p in placements]
        calls = [
            self.servers.actors[place.server].call("rows", [(place.key, rows)])
            for place, rows in zip(places, wanted, strict=True)
        ]
        return [local(call.result()[1][0]) for call in calls]

    def place(self, variable: Any, value: Any) -> StoredRemotely:
        """Send a new value to every server that keeps the variable."""
        array = jnp.asarray(value)
        self.servers.assign(self, array)
        self._changed()
        return StoredRemotely(tuple(array.shape), array.dtype)

    def make(self, formula: InitializerProgram, start: int, rows: int) -> StoredRemotely:
        """Let the server make the first value of a new variable."""
        self.servers.make(self, formula, start, rows)
        self._changed()
        return StoredRemotely((rows, *formula.shape[1:]), formula.dtype)

    def add(self, variable: Any, amount: Any, sign: int) -> bool:
        """Let the servers add it: of what several workers add nothing is lost."""
        value = jnp.broadcast_to(jnp.asarray(amount, variable._dtype), variable.shape)
        amount = value if sign > 0 else -value
        origin = Worker.current().next_origin()
        self.servers.push(origin, self, lambda key: Push(added={key: amount}))
        self._changed()
        return True

    def _changed(self) -> None:
        """The next step of whoever did it has to see it."""
        changes = self.servers.changed()
        if current().worker is not None:
            Worker.current().freshness.need(changes)

    def lookup(self, shards: Sequence[Any], ids: jax.Array) -> jax.Array:
        """As RemotePlacement's: a marker, with which the program is cut."""
        rows: jax.Array = lookup_p.bind(*map(scoped, shards), ids, table=id(shards[0]))
        return rows

    def apply_gradients(self, optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any]) -> None:
        """As RemotePlacement's. Raises what `apply_on_servers` raises."""
        apply_on_servers(optimizer, gradients, variables)

    def program(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> ServerProgram:
        """The step as a program that any worker runs."""
        return ServerProgram(made, arguments, mesh)
