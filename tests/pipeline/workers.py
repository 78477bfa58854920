"""Several workers of one job in one process: a thread each, which ask each other as processes will."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax

from stratagem.pipeline import AutoShardPolicy, Dataset, InputContext, Options
from stratagem.pipeline.distribution._lockstep import LockstepWalk, Peers
from stratagem.pipeline.distribution._shard import shard
from stratagem.pipeline.distribution._streams import WorkerWalk

Steps = list[list[Any]]


class Rendezvous(Peers):
    """All workers wait for all, and count the steps that they agreed on."""

    def __init__(self, workers: int) -> None:
        self._answers: list[bool] = []
        self._all = threading.Barrier(workers, timeout=60)
        self._lock = threading.Lock()
        self._verdict = False

    def anyone(self, mine: bool) -> bool:
        with self._lock:
            self._answers.append(mine)
        if self._all.wait() == 0:
            self._verdict = any(self._answers)
            self._answers.clear()
        self._all.wait()
        verdict = self._verdict
        self._all.wait()
        return verdict


def with_policy(dataset: Dataset, policy: AutoShardPolicy) -> Dataset:
    options = Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)


def context(workers: int, worker: int, local: int) -> InputContext:
    return InputContext(workers, worker, workers * local)


def walk_of(dataset: Dataset, at: InputContext, peers: Peers) -> LockstepWalk:
    """What one worker's distributed iterator walks over, before anything is placed on devices."""
    workers, worker = at.num_input_pipelines, at.input_pipeline_id
    sharding = shard(dataset.stage, dataset.options().experimental_distribute.auto_shard_policy, at)
    stream = WorkerWalk(sharding, workers, worker)
    own = sharding.pieces(worker, workers)
    return LockstepWalk([stream], own, at.num_replicas_in_sync // workers, peers, partial=lambda: True)


def on_all_workers(workers: int, work: Callable[[int, Peers], Any]) -> list[Any]:
    """`work(worker, peers)` in a thread a worker; their results."""
    peers = Rendezvous(workers)
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda w: work(w, peers), range(workers)))


def steps_by_worker(make: Callable[[], Dataset], workers: int, local: int = 1) -> list[Steps]:
    """For every worker its steps, for every step what each of its replicas got."""

    def work(worker: int, peers: Peers) -> Steps:
        return [as_lists(step) for step in walk_of(make(), context(workers, worker, local), peers)]

    return on_all_workers(workers, work)


def as_lists(step: list[Any]) -> list[Any]:
    return [jax.tree.map(lambda leaf: leaf.tolist(), piece) for piece in step]
