"""RayClusterResolver: the number of servers and workers that a job starts on a running Ray cluster."""

import operator
from collections.abc import Mapping
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._cluster._resolver import ClusterResolver
from stratagem._cluster._spec import ClusterSpec


@exported("distribute.cluster_resolver.RayClusterResolver")
@final
class RayClusterResolver(ClusterResolver):
    """A job on a running Ray cluster, for example on Kubernetes: this program is the coordinator, and starts all other tasks.

    servers, workers: how many. resources_per_server, resources_per_worker: the resources of each, as Ray counts them:
    "CPU", "GPU", "memory" in bytes, and the cluster's custom ones; None for one CPU. Not in TensorFlow.

    Raises:
        ClusterError: a count is below one, or a resource is not a number from 0 on.
    """

    def __init__(
        self,
        servers: int,
        workers: int,
        resources_per_server: Mapping[str, float] | None = None,
        resources_per_worker: Mapping[str, float] | None = None,
    ) -> None:
        self._counts = {"ps": _count("servers", servers), "worker": _count("workers", workers)}
        self._resources = {
            "ps": _resources("resources_per_server", resources_per_server),
            "worker": _resources("resources_per_worker", resources_per_worker),
        }

    def cluster_spec(self) -> ClusterSpec:
        """Returns the jobs `ps` and `worker`. All addresses are "": Ray knows where the tasks are."""
        return ClusterSpec({job: [""] * count for job, count in self._counts.items()})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns "": Ray knows the addresses."""
        return ""

    def resources(self, task_type: str) -> Mapping[str, float]:
        """Returns the resources of one task of the job `ps` or `worker`."""
        return self._resources[task_type]

    def _found_task(self) -> tuple[str | None, int | None]:
        return "chief", 0


def _count(name: str, count: Any) -> int:
    try:
        found = operator.index(count)
    except TypeError:
        found = 0
    if found < 1:
        raise ClusterError(f"RayClusterResolver: {name} has to be a number from 1 on, got {count!r}.")
    return found


def _resources(name: str, resources: Mapping[str, float] | None) -> dict[str, float]:
    found = {"CPU": 1.0} if resources is None else dict(resources)
    for resource, amount in found.items():
        if not isinstance(amount, int | float) or not amount >= 0:
            raise ClusterError(
                f"RayClusterResolver: {name}[{resource!r}] has to be a number from 0 on, got {amount!r}."
            )
    return found
