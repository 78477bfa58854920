"""The table by which a notebook shows a strategy: replicas, workers, devices."""

from typing import Protocol

from stratagem._base.html_tables import html_table
from stratagem._cluster import ClusterResolver
from stratagem._core.mesh import ReplicaMesh
from stratagem._strategies._extended import StrategyExtended

_MANY = 16  # devices that are listed


class ShownStrategy(Protocol):
    """A strategy, as its table needs it."""

    @property
    def mesh(self) -> ReplicaMesh:
        """The devices of the replicas."""

    @property
    def cluster_resolver(self) -> ClusterResolver | None:
        """The cluster resolver, or None."""

    @property
    def extended(self) -> StrategyExtended:
        """The names of the devices."""


def strategy_table(strategy: ShownStrategy) -> str:
    """Returns the strategy's facts as HTML. Nothing is asked of other workers."""
    devices = strategy.extended.worker_devices
    listed = ", ".join(devices[:_MANY]) + (f" and {len(devices) - _MANY} more" if len(devices) > _MANY else "")
    rows = [("replicas in sync", f"{strategy.mesh.num_replicas}"), ("devices of this process", listed)]
    job = strategy.mesh.job
    if job.workers > 1:
        rows.insert(1, ("workers", f"{job.workers}; this is number {job.worker}"))
    return html_table(type(strategy).__name__, rows)
