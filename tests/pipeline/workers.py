"""Several workers of one job in one process: a thread each, which ask each other as processes will."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax

from stratagem._base.job import Job
from stratagem._data import AutoShardPolicy, Dataset, InputContext, Options
from stratagem._data.distribution._lockstep import LockstepIterator
from stratagem._data.distribution._peers import ComparedBatches, NoPeers, SeparateInputs, SharedBatches
from stratagem._data.distribution._shard import shard
from stratagem._data.distribution._streams import WorkerIterator
from stratagem._data.stages._cardinality import UNKNOWN
from tests.rendezvous import Rendezvous

Steps = list[list[Any]]


def with_policy(dataset: Dataset, policy: AutoShardPolicy) -> Dataset:
    options = Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)


def context(workers: int, worker: int, local: int) -> InputContext:
    return InputContext(workers, worker, workers * local)


def walk_of(dataset: Dataset, at: InputContext, job: Job) -> LockstepIterator:
    """What one worker's distributed iterator walks over, before anything is placed on devices."""
    workers, worker = at.num_input_pipelines, at.input_pipeline_id
    sharding = shard(dataset.stage, dataset.options().experimental_distribute.auto_shard_policy, at)
    stream = WorkerIterator(sharding, workers, worker)
    own, local = sharding.pieces(worker, workers), at.num_replicas_in_sync // workers
    common = SharedBatches(stream.sizes) if dataset.stage.cardinality != UNKNOWN else ComparedBatches(job, stream.sizes)
    peers = NoPeers() if workers == 1 else common if sharding.common else SeparateInputs(job, local)
    replicas = range(worker * local, (worker + 1) * local)
    return LockstepIterator([stream], own, replicas, peers, partial=lambda: True)


def on_all_workers(workers: int, work: Callable[[int, Job], Any]) -> list[Any]:
    """`work(worker, job)` in a thread a worker; their results."""
    meeting = Rendezvous(workers)
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda w: work(w, Rendezvous(workers, w, meeting)), range(workers)))


def steps_by_worker(make: Callable[[], Dataset], workers: int, local: int = 1) -> list[Steps]:
    """For every worker its steps, for every step what each of its replicas got."""

    def work(worker: int, job: Job) -> Steps:
        return [as_lists(step) for step in walk_of(make(), context(workers, worker, local), job)]

    return on_all_workers(workers, work)


def as_lists(step: list[Any]) -> list[Any]:
    return [jax.tree.map(lambda leaf: leaf.tolist(), piece) for piece in step]
