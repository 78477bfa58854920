"""MultiWorkerMirroredStrategy: replicas on the devices of several processes, which run the same program together."""

import contextlib
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from typing import ClassVar, final

import jax
import numpy as np

from stratagem._base.errors import ClusterError, DeviceError
from stratagem._base.exports import exported
from stratagem._base.job import ALONE, Job, agree_on, enter_job, process_job
from stratagem._cluster import ClusterJob, ClusterResolver, coordination, default_resolver, job_of
from stratagem._cluster.control import ConnectedJob, ControlClient, JobInfo, TimeLimits
from stratagem._core.mesh import ReplicaMesh
from stratagem._data import InputContext, share_seeds
from stratagem._devices import kind_of
from stratagem._private import (
    backend_started_by,
    backends_started,
    configured_cpu_devices,
    connect_backend,
    reserve_worker_threads,
    wait_within,
)
from stratagem._strategies._abstract import AbstractStrategy
from stratagem._strategies._communication import CommunicationOptions
from stratagem._strategies._cores import take_share_of_cores

_VERSIONS = ("stratagem", "jax", "jaxlib", "keras", "numpy")  # packages that a step's compiled program depends on


@exported("distribute.MultiWorkerMirroredStrategy", "distribute.experimental.MultiWorkerMirroredStrategy")
@final
class MultiWorkerMirroredStrategy(AbstractStrategy):
    """Synchronous training on several workers, each with one or several replicas; variables are kept equal on all of them.

    cluster_resolver: knows the tasks of the job and which of them this process is; by default, that of TF_CONFIG, torchrun,
        Open MPI or Slurm. If none of these is set, there is one worker.
    communication_options: see `CommunicationOptions`; the same on all workers.
    shard_optimizer_state: as in `MirroredStrategy`, over the replicas of all workers; the same on all of them. Code that reads
        a slot of an optimizer, and whatever saves it, then has to run on all workers.

    The constructor waits until all workers have joined. Initial values of variables are the chief's. Raises
    ClusterError for an invalid cluster, or if workers are missing for too long; RuntimeError if JAX was used before in
    a job of several workers.
    """

    mirrored: ClassVar[bool] = True

    def __init__(
        self,
        cluster_resolver: ClusterResolver | None = None,
        communication_options: CommunicationOptions | None = None,
        *,
        shard_optimizer_state: bool = False,
    ) -> None:
        options = communication_options or CommunicationOptions()
        if not isinstance(options, CommunicationOptions):
            raise ValueError(
                f"communication_options must be a tf.distribute.experimental.CommunicationOptions, got {options!r}."
            )
        self._resolver = default_resolver() if cluster_resolver is None else cluster_resolver
        self._cluster = job_of(self._resolver)
        self.shards_optimizer_state = shard_optimizer_state
        self._mesh = _mesh_of(self._cluster, options)
        agree_on(self._mesh.job, "strategies", {"shard_optimizer_state": str(shard_optimizer_state)})

    @property
    def mesh(self) -> ReplicaMesh:
        return self._mesh

    @property
    def cluster_resolver(self) -> ClusterResolver:
        """The resolver of the job; its `task_type` and `task_id` are this task's, None without a cluster."""
        return self._resolver

    @property
    def _input_context(self) -> InputContext:
        job = self._mesh.job
        return InputContext(job.workers, job.worker, self.num_replicas_in_sync)


def _mesh_of(cluster: ClusterJob | None, options: CommunicationOptions) -> ReplicaMesh:
    if cluster is None or cluster.size == 1:
        reserve_worker_threads(configured_cpu_devices())
        return ReplicaMesh(tuple(jax.local_devices()), ALONE, options.communication)
    job = _connected(cluster, options)
    sent = options.communication
    agree_on(
        job,
        "communication options",
        {"gradient_dtype": str(sent.gradient_dtype), "bytes_per_pack": str(sent.pack_bytes)},
    )
    mesh = ReplicaMesh(_devices(job), job, sent)
    with _stdout_to_stderr():  # gloo prints about its connections
        mesh.from_chief(np.zeros(1))  # a first collective: if the network blocks the workers, it fails now
    return mesh


def _connected(cluster: ClusterJob, options: CommunicationOptions) -> Job:
    """Returns the job of this process, which joins one if it is in none."""
    job = process_job()
    if isinstance(job, ConnectedJob):
        facts = job.link.facts
        if (facts.cluster, facts.task) == (cluster.cluster, str(cluster.task)):
            return job
        raise ClusterError(
            f"This process is {facts.task} of the job {facts.cluster} already and cannot be {cluster.task} of "
            f"{cluster.cluster} as well. Start another process for it."
        )
    if backends_started():
        raise RuntimeError(
            f"Collective ops must be configured at program startup: JAX's backend has started already{backend_started_by()}. "
            "Create MultiWorkerMirroredStrategy before anything that computes: tensors, variables, layers, random numbers, and "
            "lists of logical devices."
        )
    job = _join(cluster, options)
    share_seeds(job)
    enter_job(job)
    return job


def _join(cluster: ClusterJob, options: CommunicationOptions) -> ConnectedJob:
    facts = JobInfo(
        tasks=tuple(str(task) for task in cluster.tasks),
        rank=cluster.rank,
        hub=str(cluster.hub),
        cluster=cluster.cluster,
        versions=_versions(),
        pid=os.getpid(),
        loopback=cluster.loopback,
        limits=options.limits(TimeLimits.from_environment(os.environ)),
    )
    link = ControlClient.join(facts)
    job = ConnectedJob(link)
    own = cluster.address
    if own is not None:
        coordination.bind_collectives(own.host)
    take_share_of_cores(job)
    reserve_worker_threads(configured_cpu_devices())
    connect_backend(job.connect(coordination.connect), facts.rank, len(facts.tasks))
    job.start(jax.local_devices, jax.distributed.shutdown)
    wait_within(job.waiting)
    return job


def _versions() -> dict[str, str]:
    found = {name: importlib.metadata.version(name) for name in _VERSIONS}
    return {**found, "python": ".".join(platform.python_version_tuple()[:2])}


def _devices(job: Job) -> tuple[jax.Device, ...]:
    """Returns all devices of the job's default platform, by worker.

    Raises:
        DeviceError: the workers differ in the number or kind of devices.
    """
    default = jax.local_devices()
    described = job.agree("local devices", [kind_of(default[0]), len(default)])
    if any(other != described[0] for other in described):
        found = ", ".join(f"{job.task(i)}: {count} {kind}" for i, (kind, count) in enumerate(described))
        raise DeviceError(f"All workers need the same number and kind of devices, got {found}.")
    return tuple(sorted(jax.devices(), key=lambda d: (d.process_index, d.id)))


@contextlib.contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """Redirects standard output, also that of C++ code, to standard error while the body runs."""
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
