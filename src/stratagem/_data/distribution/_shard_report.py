"""Logs each worker's share of a dataset when its first epoch starts, and compares the lengths on all workers."""

import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple, final

from stratagem._base.errors import ClusterError
from stratagem._base.job import Job
from stratagem._data.distribution._input_context import InputContext
from stratagem._data.distribution._per_replica_sizes import piece_sizes
from stratagem._data.distribution._shape_agreement import SAME_DATA_ADVICE
from stratagem._data.distribution._shard import ShardingDecision
from stratagem._data.stages._batch import BatchStage
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN, batched
from stratagem._data.stages._options import AutoShardPolicy
from stratagem._data.stages._stage import BatchedRowsStage, Stage
from stratagem._data.stages._steps import ShardHint

_log = logging.getLogger("stratagem.data")


@final
class DatasetLength(NamedTuple):
    """The length of a dataset as far as its plan determines it: batches, like `Dataset.cardinality`, and examples or None."""

    batches: int
    examples: int | None

    def __str__(self) -> str:
        if self.batches in (INFINITE, UNKNOWN):
            return "batches without end" if self.batches == INFINITE else "an unknown number of batches"
        return _counted(self.batches, "batch", "batches") + (
            "" if self.examples is None else f" ({self.examples} examples)"
        )


def length(stage: Stage) -> DatasetLength:
    """The length of a dataset that should be the same on all workers."""
    return DatasetLength(stage.cardinality, _examples(stage))


def check_lengths(lengths: Sequence[DatasetLength], job: Job) -> None:
    """Compares the lengths of the datasets of all workers of a job, by worker.

    Raises:
        ClusterError: they differ, so that one worker would end its epoch while others wait for it.
    """
    if any(theirs != lengths[0] for theirs in lengths):
        found = "; ".join(f"{job.task(worker)} has {theirs}" for worker, theirs in enumerate(lengths))
        raise ClusterError(f"The workers' datasets have different lengths: {found}. {SAME_DATA_ADVICE}")


def announce(sharding: ShardingDecision, stage: Stage, context: InputContext) -> None:
    """Logs one line about the policy, the reason and the share of every worker, if there are several; warns if one has none."""
    workers, replicas = context.num_input_pipelines, context.num_replicas_in_sync
    what, warning = _share(sharding, stage, workers, replicas)
    where = f"{_counted(workers, 'worker')}, {_counted(replicas, 'replica')}"
    level = logging.INFO if workers > 1 else logging.DEBUG  # a worker alone has all
    _log.log(level, "input: sharded by %s (%s) over %s: %s", sharding.policy.name, sharding.reason, where, what)
    if warning:
        _log.warning("input: %s", warning)


def _share(sharding: ShardingDecision, stage: Stage, workers: int, replicas: int) -> tuple[str, str]:
    """The description of every worker's share, and a warning or ""."""
    if sharding.policy is AutoShardPolicy.FILE:
        files = [_files(sharding.pieces(worker, workers)) for worker in range(workers)]
        return f"files by worker: {_listed(files)}; how many examples they have is known at the end", ""
    if sharding.policy is AutoShardPolicy.HINT:
        hinted = workers == 1 or any(isinstance(s, ShardHint) for s in _all(stage))
        return (
            "as hinted",
            "" if hinted else "no shard(SHARD_HINT, ...) is in the dataset: every worker gets all of it",
        )
    if sharding.policy is AutoShardPolicy.OFF:
        return "every worker gets what its own dataset has", ""
    return _share_of_batches(stage, workers, replicas)


def _share_of_batches(stage: Stage, workers: int, replicas: int) -> tuple[str, str]:
    batch, total = stage.batch_size, _examples(stage)
    if batch is None or total is None:
        return "how many examples is known at the end", ""
    full, rest = divmod(total, batch)
    by_replica = [
        full * of_full + of_rest
        for of_full, of_rest in zip(piece_sizes(batch, replicas), piece_sizes(rest, replicas), strict=True)
    ]
    each = replicas // workers
    by_worker = [sum(by_replica[w * each : (w + 1) * each]) for w in range(workers)]
    scope = "a global batch" if stage.cardinality == INFINITE else "an epoch"
    return f"examples of {scope} by worker: {_listed(by_worker)}", _idle(by_replica, total, batch)


def _idle(by_replica: list[int], total: int, batch: int) -> str:
    idle = [replica for replica, rows in enumerate(by_replica) if rows == 0]
    if not idle:
        return ""
    if total == 0:
        return "the dataset has no example"
    who = f"replica {idle[0]}" if len(idle) == 1 else f"replicas {_listed(idle)}"
    gets = "gets" if len(idle) == 1 else "get"
    return (
        f"{who} of {len(by_replica)} {gets} no example: {total} examples in batches of {batch} do not reach that far. "
        "Use a larger batch, or fewer replicas."
    )


def _examples(stage: Stage) -> int | None:
    """The rows of all batches, or of one if they never end; None if the plan does not determine it."""
    batch, batches = stage.batch_size, stage.cardinality
    if batch is None or batches == INFINITE:
        return batch
    if batches < 0:
        return None
    source = stage
    while not isinstance(source, BatchedRowsStage | BatchStage) and len(source.parents) == 1:
        (source,) = source.parents
    if not isinstance(source, BatchedRowsStage | BatchStage):
        return None
    rows = source.order.length if isinstance(source, BatchedRowsStage) else source.parents[0].cardinality
    if batches == batched(rows, batch, drop_remainder=False):
        return rows
    return batches * batch if batches == batched(rows, batch, drop_remainder=True) else None


def _all(stage: Stage) -> Iterator[Stage]:
    yield stage
    for parent in stage.parents:
        yield from _all(parent)


def _files(stage: Stage) -> int:
    return sum(parent.cardinality for reader in _all(stage) if reader.reads_files for parent in reader.parents)


def _counted(number: int, what: str, several: str = "") -> str:
    return f"{number} {what if number == 1 else several or f'{what}s'}"


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
