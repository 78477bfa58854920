"""Worker: runs steps over variables on servers, with its own random seeds and numbers for its pushes."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import on_all_devices
from stratagem._private import is_seed_state
from stratagem._servers.remote._prefetch import PrefetchedValues, StalenessCheck
from stratagem._servers.remote._server import MissingVariableError
from stratagem._servers.remote._server_messages import PushId
from stratagem._servers.remote._time_breakdown import TimeBreakdown

_GOLDEN = 0x9E3779B9  # spreads small numbers over 32 bits


@final
class Worker:
    """One worker of a job. Used by one thread at a time.

    index: of its task; None for the coordinator's own code, whose pushes are never repeated.
    """

    here: ClassVar["Worker"]

    def __init__(self, index: int | None) -> None:
        self.index = index
        self._below, self._coordinator = 0, ""
        self._seeds: dict[int, tuple[Any, Any, jax.Array]] = {}
        self._closure = -1
        self.pushes = 0
        self.clock, self.prefetch, self.freshness = TimeBreakdown(), PrefetchedValues(), StalenessCheck()

    @classmethod
    def current(cls) -> "Worker":
        """Returns the worker that runs the current code: that of the context, else that of the coordinator's own code.

        In a job of several processes it is a `RayWorkerProxy`, which has what is asked of it here.
        """
        return cast(Worker, current().worker or cls.here)

    def begin(self, closures: Sequence[int], below: int, coordinator: str, pushes: int = 0) -> None:
        """Starts the first of these closures, or continues it after this many pushes.

        below, coordinator: those of its pushes' PushId.
        """
        self._closure, self.pushes = closures[0], pushes
        self._below, self._coordinator = below, coordinator

    def follow(
        self, plan: Any, inputs: Sequence[Any], servers: Any, mesh: ReplicaMesh, times: int = 1
    ) -> list[list[Any]]:
        """Takes one step, whatever `times` is, for several at once save nothing here; returns a list of its results."""
        # A NumPy array goes to the device with the call, which is faster, but JAX would make 32 bits of 64 there.
        arrays = [v if isinstance(v, np.ndarray) and v.itemsize < 8 else on_all_devices(v, mesh) for v in inputs]
        fresh = self.freshness.begin_step(servers.change_count)
        before = self.pushes
        try:
            found = plan.start(arrays, servers.actors, self, servers.prepare, fresh=fresh).finish()
        except MissingVariableError:
            self.pushes = before  # if the step is taken again, its pushes get the same numbers
            raise
        self.clock.steps += 1
        if self.index is None:
            servers.count_change()
        return [[v if isinstance(v, jax.Array) else on_all_devices(v, mesh) for v in found]]

    @property
    def numbered(self) -> bool:
        """True if it runs a closure, whose pushes have numbers."""
        return self.index is not None and self._closure >= 0

    def next_push_id(self) -> PushId | None:
        """Returns the push_id of the next push, the same if another worker repeats the closure; None outside of closures."""
        if not self.numbered:
            return None
        self.pushes += 1
        return PushId(self._closure, self.pushes, self._below, self._coordinator)

    def value(self, variable: Any) -> Any:
        """Returns the value of a variable that no server holds; of a random seed, the worker's own value."""
        if self.index is None or not is_seed_state(variable):
            return variable.value
        stored = variable._value
        key = getattr(variable, "number", id(variable))
        known = self._seeds.get(key)
        if (
            known is None or known[1] is not stored
        ):  # new, or set again. Worker 0 draws the numbers that one device would.
            spread = jnp.asarray([self.index * _GOLDEN % 2**32, *[0] * (variable.shape[0] - 1)], variable._dtype)
            self._seeds[key] = known = (variable, stored, variable.value + spread)
        return known[2]

    def store(self, variable: Any, value: jax.Array) -> None:
        """Stores a new value of a variable that no server holds."""
        if self.index is None:
            variable.assign(value)
        else:
            self._seeds[getattr(variable, "number", id(variable))] = (variable, variable._value, value)


Worker.here = Worker(None)
