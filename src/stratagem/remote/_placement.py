"""ServedPlacement: a variable whose value is kept by servers, and how steps and other code reach it."""

import itertools
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp

from stratagem._context import current
from stratagem._mesh import ReplicaMesh
from stratagem.remote._program import ServedProgram
from stratagem.remote._server import Push
from stratagem.remote._servers import Servers
from stratagem.remote._worker import Worker
from stratagem.step import Arguments, Trace
from stratagem.values import Placement

_numbers = itertools.count()


@final
@dataclass(frozen=True, eq=False)
class Kept:
    """What a served variable stores here: that its server has the value."""

    shape: tuple[int, ...]
    dtype: Any


@final
@dataclass(frozen=True, eq=False)
class ServedPlacement(Placement):
    """servers: all of the strategy. home: the index of the one that keeps the variable. key: its name there."""

    servers: Servers
    home: int
    key: str = field(default_factory=lambda: f"v{next(_numbers)}")

    served: ClassVar[bool] = True

    def read(self, variable: Any) -> jax.Array:
        """The value that the server has now."""
        return self.servers.read([self])[0]

    def place(self, variable: Any, value: Any) -> Kept:
        """Send a new value to every server that keeps the variable."""
        array = jnp.asarray(value)
        self.servers.assign(self, array)
        return Kept(tuple(array.shape), array.dtype)

    def add(self, variable: Any, amount: Any, sign: int) -> bool:
        """Let the servers add it: of what several workers add nothing is lost."""
        value = jnp.broadcast_to(jnp.asarray(amount, variable._dtype), variable.shape)
        push = Push(added={self.key: value if sign > 0 else -value})
        origin = (current().worker or Worker.here).next_origin()
        for index in sorted(self.servers.sharing(self)):
            self.servers.actors[index].call("push", origin, push).result()
        return True

    def program(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> ServedProgram:
        """The step as a program that any worker runs."""
        return ServedProgram(made, arguments, mesh)
