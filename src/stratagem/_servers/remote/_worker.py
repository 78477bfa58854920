"""Worker: who runs a step over served variables, with what is its own: random seeds, and numbers for its pushes."""

from collections.abc import Sequence
from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import everywhere
from stratagem._private import is_seed_state
from stratagem._servers.remote._prefetch import Freshness, Prefetched
from stratagem._servers.remote._push import Origin
from stratagem._servers.remote._server import NotHereError
from stratagem._servers.remote._time_breakdown import TimeBreakdown

_GOLDEN = 0x9E3779B9  # spreads small numbers over 32 bits


@final
class Worker:
    """One worker of a job. Used by one thread at a time.

    index: of its task; None for the coordinator's own code, whose pushes nobody repeats.
    """

    here: ClassVar["Worker"]

    def __init__(self, index: int | None) -> None:
        self.index = index
        self._below, self._coordinator = 0, ""
        self._seeds: dict[int, tuple[Any, Any, jax.Array]] = {}
        self._closure = -1
        self.pushes = 0
        self.clock, self.prefetched, self.freshness = TimeBreakdown(), Prefetched(), Freshness()

    @classmethod
    def current(cls) -> "Worker":
        """The worker that runs the present code: of the context, or where it has none, that of the coordinator's own code."""
        worker = current().worker or cls.here
        assert isinstance(worker, Worker)
        return worker

    def begin(self, closures: Sequence[int], below: int, coordinator: str, pushes: int = 0) -> None:
        """From now on it runs the first of these closures, from its start, or from where it has pushed so often.

        The rest: as in Origin.
        """
        self._closure, self.pushes = closures[0], pushes
        self._below, self._coordinator = below, coordinator

    def follow(
        self, plan: Any, given: Sequence[Any], servers: Any, mesh: ReplicaMesh, times: int = 1
    ) -> list[list[Any]]:
        """Take a step here, one, for nothing is gained by several. given: what the call brings. Returns its results."""
        # A NumPy array goes to the device with the call, which is faster; of 64 bits JAX would make 32 there.
        inputs = [v if isinstance(v, np.ndarray) and v.itemsize < 8 else everywhere(v, mesh) for v in given]
        fresh = self.freshness.ask(servers.changes)
        before = self.pushes
        try:
            found = plan.begun(inputs, servers.actors, self, servers.prepare, fresh=fresh).finish()
        except NotHereError:
            self.pushes = before  # if the step is taken again, its pushes are the same
            raise
        self.clock.steps += 1
        if self.index is None:
            servers.changed()
        return [[v if isinstance(v, jax.Array) else everywhere(v, mesh) for v in found]]

    @property
    def numbered(self) -> bool:
        """True if it runs a closure, whose pushes have numbers."""
        return self.index is not None and self._closure >= 0

    def next_origin(self) -> Origin | None:
        """The number of its next push, the same when another worker runs the closure again; None if it runs none."""
        if not self.numbered:
            return None
        self.pushes += 1
        return Origin(self._closure, self.pushes, self._below, self._coordinator)

    def value(self, variable: Any) -> Any:
        """What it sees of a variable that no server keeps: of a random seed its own."""
        if self.index is None or not is_seed_state(variable):
            return variable.value
        stored = variable._value
        key = getattr(variable, "number", id(variable))
        known = self._seeds.get(key)
        if known is None or known[1] is not stored:  # worker 0 draws what one device would, until somebody seeds anew
            spread = jnp.asarray([self.index * _GOLDEN % 2**32, *[0] * (variable.shape[0] - 1)], variable._dtype)
            self._seeds[key] = known = (variable, stored, variable.value + spread)
        return known[2]

    def keep(self, variable: Any, value: jax.Array) -> None:
        """A new value of such a variable."""
        if self.index is None:
            variable.assign(value)
        else:
            self._seeds[getattr(variable, "number", id(variable))] = (variable, variable._value, value)


Worker.here = Worker(None)
