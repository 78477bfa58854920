"""Launcher of a job on the user's own Ray cluster: the coordinator starts its servers and workers, which end with it."""

import itertools
import os
import time
import uuid
from typing import Any

from stratagem._base.errors import UnavailableError
from stratagem._cluster import RayClusterResolver
from stratagem._servers.remote._ray_actors import RayActor, start_actor
from stratagem._servers.remote._ray_node import join_existing, join_seconds
from stratagem._servers.remote._ray_worker_proxy import RayWorkerProxy
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._task_process import TaskProcess

_PASSED_ON = ("KERAS_", "STRATAGEM_")  # the cluster itself sets the rest of a task's environment


def start_on_ray(resolver: RayClusterResolver) -> tuple[Servers, list[RayWorkerProxy]]:
    """Starts every server and worker. Ray ends them with this process, or when nothing refers to the result any more.

    A lost worker is started again when the coordinator asks for it; a server is not: its variables are lost.

    Raises ClusterError if this process is connected to no Ray; UnavailableError if a task does not start, or Ray has no
    room for it.
    """
    ray = join_existing()
    namespace = f"stratagem-{uuid.uuid4().hex}"  # several jobs may use the cluster
    jobs = resolver.cluster_spec().as_dict()
    servers = [_started(ray, resolver, namespace, "ps", i) for i in range(len(jobs["ps"]))]
    workers = [_started(ray, resolver, namespace, "worker", i) for i in range(len(jobs["worker"]))]
    limit = join_seconds()
    end = time.monotonic() + limit
    for actor in (*servers, *workers):
        try:
            ray.get(actor.handle.ping.remote(), timeout=max(1.0, end - time.monotonic()))
        except ray.exceptions.GetTimeoutError:
            job = actor.task.partition(":")[0]
            raise UnavailableError(
                f"Ray had no room for {actor.task} for {limit:g} s. It takes {resolver.resources(job)}, and the job "
                f"has {len(servers)} servers and {len(workers)} workers; the cluster has {ray.cluster_resources()}."
            ) from None
        except ray.exceptions.RayError as error:
            raise UnavailableError(f"{actor.task} did not start on Ray: {str(error).strip()}") from None
    return Servers(servers), [RayWorkerProxy(i, actor) for i, actor in enumerate(workers)]


def _started(ray: Any, resolver: RayClusterResolver, namespace: str, job: str, index: int) -> RayActor:
    resources = dict(resolver.resources(job))
    options = {
        "num_cpus": resources.pop("CPU", 0),
        "num_gpus": resources.pop("GPU", 0),
        "memory": resources.pop("memory", None),
        "resources": resources,
        "runtime_env": {"env_vars": {k: v for k, v in os.environ.items() if k.startswith(_PASSED_ON)}},
    }
    servers, starts = len(resolver.cluster_spec().as_dict()["ps"]), itertools.count()

    def start() -> Any:
        restart = next(starts)
        name = f"{job}:{index} again {restart}" if restart else f"{job}:{index}"
        return start_actor(ray, job, index, servers, namespace, {"name": name, **options}, TaskProcess())

    return RayActor(f"{job}:{index}", namespace, start(), start if job == "worker" else None)
