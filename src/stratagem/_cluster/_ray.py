"""RayClusterResolver: how many servers and workers a job is to start on a Ray cluster that runs already."""

import operator
from collections.abc import Mapping
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._cluster._resolver import ClusterResolver
from stratagem._cluster._spec import ClusterSpec


@final
class RayClusterResolver(ClusterResolver):
    """For a Ray cluster that runs already, on Kubernetes say: the program is the coordinator, and all else starts on Ray.

    servers, workers: how many. resources_per_server, resources_per_worker: what each of them takes, as Ray counts it: "CPU",
    "GPU", "memory" in bytes, and names of the cluster's own; None: one CPU. Not in TensorFlow.

    Raises:
        ClusterError: a count is below one, or a resource is no number from 0 on.
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
        """The jobs `ps` and `worker`. Ray knows where their tasks are: addresses are ""."""
        return ClusterSpec({job: [""] * count for job, count in self._counts.items()})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """ "": addresses are Ray's business."""
        return ""

    def resources(self, task_type: str) -> Mapping[str, float]:
        """What a task of the job `ps` or `worker` takes."""
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


def _resources(name: str, given: Mapping[str, float] | None) -> dict[str, float]:
    found = {"CPU": 1.0} if given is None else dict(given)
    for resource, amount in found.items():
        if not isinstance(amount, int | float) or not amount >= 0:
            raise ClusterError(
                f"RayClusterResolver: {name}[{resource!r}] has to be a number from 0 on, got {amount!r}."
            )
    return found
