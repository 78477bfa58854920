"""TracedPerReplica: a PerReplica inside a trace."""

from typing import Any

import jax

from stratagem._core.step.collectives._gather import gathered
from stratagem._core.values import PerReplica


class TracedPerReplica(PerReplica):
    """A value that exists once for each replica, in cross-replica code inside a trace: this replica's tracer."""

    def __init__(self, local: Any, replicas: int) -> None:
        self.local = local
        self.replicas = replicas

    @property
    def values(self) -> tuple[jax.Array, ...]:
        """The values of all replicas, gathered by a collective."""
        return tuple(gathered(self.local))
