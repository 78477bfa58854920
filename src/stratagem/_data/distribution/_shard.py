"""The sharding policies of tf.data: rewrites a dataset's plan to a worker's part of it."""

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from stratagem._base.errors import InvalidArgumentError, NotFoundError
from stratagem._data import _plan as plan
from stratagem._data.distribution._input_context import InputContext
from stratagem._data.distribution._own_seeds import with_own_seeds
from stratagem._data.distribution._per_replica_sizes import round_sizes
from stratagem._data.distribution._replica_batches import ReplicaBatchesStage
from stratagem._data.stages._buffers import ShuffleStage
from stratagem._data.stages._options import AutoShardPolicy
from stratagem._data.stages._rebatch import RebatchStage
from stratagem._data.stages._spare_values import SpareValuesStage
from stratagem._data.stages._stage import FileNameSource, Stage, non_file_sources
from stratagem._data.stages._steps import PrefetchStage, ShardHint

_FEW = 8  # files that an error names


@final
@dataclass(frozen=True)
class ShardingDecision:
    """The decision for all workers.

    policy: FILE, DATA, OFF or HINT, never AUTO.
    reason: why this policy was chosen, for the log.
    pieces: the plan of worker w of W, by (w, W): its pieces in the order in which its replicas take them.
    """

    policy: AutoShardPolicy
    reason: str
    pieces: Callable[[int, int], Stage]

    @property
    def common(self) -> bool:
        """True if all workers iterate over the same batches, and so end in the same step."""
        return self.policy is AutoShardPolicy.DATA


def shard(stage: Stage, requested: AutoShardPolicy, context: InputContext) -> ShardingDecision:
    """Divides the batches of `stage` among the workers of a job as TensorFlow does.

    FILE: worker w of W reads every W-th file from number w on. DATA: every worker iterates over all batches and takes its
    pieces of each. AUTO: FILE if all sources read files, else DATA. HINT: the placeholder that
    `shard(SHARD_HINT, …)` left becomes the worker's shard. OFF: every worker has all of the user's dataset.

    Sources: TensorFlow's auto_shard rewrite, measured on 2.15 (`tests/data/test_shard.py`). Different: AUTO
    does not shard files when only some of the sources read files; TensorFlow shards those and then the batches as well.

    Raises:
        ValueError: the replicas cannot be divided evenly among the workers.
        NotFoundError: with FILE, a source does not read files.
        InvalidArgumentError: with FILE or AUTO, there are fewer files than workers.
    """
    workers = context.num_input_pipelines
    if context.num_replicas_in_sync % workers:
        raise ValueError(
            "tf.distribute expects every worker to have the same number of replicas. However, encountered "
            f"`num_replicas_in_sync` ({context.num_replicas_in_sync}) that cannot be divided by `num_workers` ({workers})."
        )
    policy, reason = _decided(stage, requested, workers)
    replicas = context.num_replicas_in_sync

    @functools.cache  # one plan for all epochs, because it may contain a cache
    def pieces(worker: int, workers: int) -> Stage:
        local = replicas // workers
        if policy is AutoShardPolicy.DATA:
            found = ReplicaBatchesStage(stage, replicas, range(worker * local, (worker + 1) * local))
            return SpareValuesStage(found) if replicas == 1 else found
        rewrite = {AutoShardPolicy.FILE: _files_of, AutoShardPolicy.HINT: _hints_resolved}.get(policy)
        own = stage if rewrite is None else rewrite(stage, workers, worker)
        if policy in (AutoShardPolicy.OFF, AutoShardPolicy.HINT):
            own = with_own_seeds(own, worker)  # whether it is divided is up to the user's own steps
        return _by_nominal_size(own, replicas, worker * local)

    return ShardingDecision(policy, reason, pieces)


def _decided(stage: Stage, requested: AutoShardPolicy, workers: int) -> tuple[AutoShardPolicy, str]:
    if requested not in (AutoShardPolicy.AUTO, AutoShardPolicy.FILE):
        return requested, "as asked for"
    unshardable = non_file_sources(stage)
    if requested is AutoShardPolicy.AUTO:
        if unshardable:
            return AutoShardPolicy.DATA, "AUTO: not every source reads files"
        return AutoShardPolicy.FILE, "AUTO: every source reads files"
    if unshardable and workers > 1:
        raise NotFoundError(
            f"Found an unshardable source dataset: AutoShardPolicy.FILE needs sources that read files, and "
            f"{type(unshardable[0]).__name__.removesuffix('Stage')} does not. Use AutoShardPolicy.DATA or AUTO."
        )
    # A single worker has all of it, whatever the sources are.
    return AutoShardPolicy.FILE if not unshardable else AutoShardPolicy.OFF, "as asked for"


def _files_of(stage: Stage, workers: int, worker: int) -> Stage:
    share = _names_of if stage.reads_files else _files_of
    return stage.with_parents(*(share(parent, workers, worker) for parent in stage.parents))


def _names_of(stage: Stage, workers: int, worker: int) -> Stage:
    """The names of a worker's files, divided before they are shuffled if possible."""
    if isinstance(stage, ShuffleStage | PrefetchStage):
        return stage.with_parents(*(_names_of(parent, workers, worker) for parent in stage.parents))
    files = len(stage.files) if isinstance(stage, FileNameSource) else stage.cardinality
    if 0 <= files < workers and workers > 1:
        raise InvalidArgumentError(
            f"Could not apply FILE based sharding: the dataset only has {files} file(s), which is not enough for the "
            f"required {workers} shards/workers. If you are using datasets with distribution strategy, consider setting "
            "the auto sharding policy to either DATA or OFF with `options.experimental_distribute.auto_shard_policy`. "
            f"{_found_files(stage)} For workers that divide the rows of these files, add before the dataset is distributed:\n"
            "  options = tf.data.Options()\n"
            "  options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA\n"
            "  dataset = dataset.with_options(options)\n"
            "With OFF every worker reads all rows."
        )
    if isinstance(stage, FileNameSource):
        return stage.with_files(stage.files[worker::workers])
    return plan.cut(stage, start=worker, step=workers)


def _found_files(names: Stage) -> str:
    """Returns the files that a step names, in a sentence; "" if that takes running user code."""
    if not names.pure or not 0 <= names.cardinality <= _FEW:
        return ""
    found = names.files if isinstance(names, FileNameSource) else _listed(names)
    return f"The files: {', '.join(map(repr, found)) or 'none'}."


def _listed(names: Stage) -> list[str]:
    walk = names.walk()
    try:
        return [os.fsdecode(name) for element in walk for name in np.atleast_1d(element)]
    finally:
        walk.close()


def _hints_resolved(stage: Stage, workers: int, worker: int) -> Stage:
    if not stage.parents:
        return stage
    stage = stage.with_parents(*(_hints_resolved(parent, workers, worker) for parent in stage.parents))
    return stage.resolved(workers, worker) if isinstance(stage, ShardHint) else stage


def _by_nominal_size(stage: Stage, replicas: int, offset: int) -> Stage:
    """Pieces that differ by at most one row and cycle, so that the replicas of all workers get a batch in every step.

    TensorFlow divides by the nominal size of batches, if it is known, unless it shards the batches themselves.
    """
    batch = stage.batch_size
    if batch is None:
        found = ReplicaBatchesStage(stage, replicas, range(replicas))
        return SpareValuesStage(found) if replicas == 1 else found
    return SpareValuesStage(RebatchStage(stage, round_sizes(batch, replicas, offset)))
