"""Several workers of one job in one process: a thread each, which ask each other as processes will."""

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, final

import jax
import numpy as np

from stratagem._base.job import Job
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import is_per_replica
from stratagem._data import AutoShardPolicy, Dataset, DistributedDataset, InputContext, InputOptions, Options
from tests.rendezvous import Rendezvous

Steps = list[list[Any]]


@final
class WorkersMesh(ReplicaMesh):
    """The mesh of a job as one of its workers sees it. All devices are of this process, so no array can lie on all of them."""

    @functools.cached_property
    def local_ids(self) -> tuple[int, ...]:
        local = self.num_replicas // self.job.workers
        return tuple(range(self.job.worker * local, (self.job.worker + 1) * local))

    def stack(self, values: Sequence[Any], *, own: bool = False) -> Any:
        return values

    def stack_each(self, values: Sequence[Any]) -> Any:
        return values

    def unstack(self, array: Any) -> tuple[Any, ...]:
        return tuple(array)


def with_policy(dataset: Dataset, policy: AutoShardPolicy) -> Dataset:
    options = Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)


def distributed(dataset: Dataset, job: Job, local: int = 1, replicas: int | None = None) -> DistributedDataset:
    """What the job's worker gets for its `local` replicas. Read as it is asked for: nothing waits for a worker that is done."""
    replicas = job.workers * local if replicas is None else replicas
    devices = tuple(jax.devices()[i % jax.device_count()] for i in range(replicas))
    context = InputContext(job.workers, job.worker, replicas)
    options = InputOptions(experimental_per_replica_buffer_size=0)
    return DistributedDataset(dataset, context, WorkersMesh(devices, job), options)


def on_all_workers(workers: int, work: Callable[[Job], Any]) -> list[Any]:
    """`work(job)` in a thread a worker; their results."""
    meeting = Rendezvous(workers)
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda worker: work(Rendezvous(workers, worker, meeting)), range(workers)))


def steps_by_worker(make: Callable[[], Dataset], workers: int, local: int = 1) -> list[Steps]:
    """For every worker its steps, for every step what each of its replicas got."""

    def work(job: Job) -> Steps:
        return [pieces(step) for step in distributed(make(), job, local)]

    return on_all_workers(workers, work)


def pieces(step: Any) -> list[Any]:
    """What each replica got in a step, as lists."""
    leaves, structure = jax.tree.flatten(step, is_leaf=is_per_replica)
    by_leaf = [leaf.values if is_per_replica(leaf) else [leaf] for leaf in leaves]
    return [structure.unflatten([np.asarray(v).tolist() for v in values]) for values in zip(*by_leaf, strict=True)]
