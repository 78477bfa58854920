"""Checks that workers that share a dataset make the same one: compares its steps and seeds before the first epoch."""

import enum
import logging
from collections.abc import Iterator
from typing import Any

from stratagem._base.errors import ClusterError
from stratagem._base.job import Job
from stratagem._data.distribution._shard import ShardingDecision
from stratagem._data.stages._buffers import ShuffleStage
from stratagem._data.stages._options import AutoShardPolicy
from stratagem._data.stages._order import Order
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import Stage
from stratagem._data.stages._steps import PrefetchStage

_log = logging.getLogger("stratagem.data")

_SIMPLE = (bool, int, float, enum.Enum, type(None))


def agree_on_steps(stage: Stage, sharding: ShardingDecision, job: Job) -> None:
    """Compares a dataset that is shared by batches or files with those of the other workers. All have to call it.

    Warns about different orders, for which the chief's is then used. Lengths are compared elsewhere.

    Raises:
        ClusterError: the steps differ, or the order of the files does; it names the worker and its value.
    """
    if job.workers == 1 or sharding.policy not in (AutoShardPolicy.DATA, AutoShardPolicy.FILE):
        return
    by_file = sharding.policy is AutoShardPolicy.FILE
    seeds = [seed for step in _all(stage) for seed in (_order_of_files(step) if by_file else _seeds(step))]
    given = job.agree("the steps of a dataset", [[_described(step) for step in _all(stage)], seeds])
    (steps, orders), *others = given
    for worker, (theirs, their_orders) in enumerate(others, 1):
        if theirs != steps:
            raise ClusterError(
                f"The workers' datasets differ: {_difference(steps, theirs, job, worker)}. Of a dataset that they share by its "
                f"{'files' if by_file else 'batches'} some examples would be read twice and others never. Make the same on all "
                "workers, or set auto_shard_policy to OFF if each has examples of its own."
            )
        if their_orders == orders:
            continue
        what = f"{job.task(worker)} shuffles with the seeds {their_orders}, {job.task(0)} with {orders}"
        if by_file:
            raise ClusterError(f"The orders of the workers' files differ: {what}. Give all the same seed, or none.")
        _log.warning("The orders of the workers' datasets differ: %s. All use those of %s.", what, job.task(0))


def _all(stage: Stage) -> Iterator[Stage]:
    """Yields every step, the last one of the dataset first."""
    yield stage
    for parent in stage.parents:
        yield from _all(parent)


def _described(stage: Stage) -> str:
    facts = {"batch_size": stage.batch_size, **_settings_of(stage)}
    return f"{type(stage).__name__.removesuffix('Stage')}({_shown(facts)})"


def _settings_of(thing: Any) -> dict[str, Any]:
    """The numbers in an object's attributes by name, except lengths and values that differ between equal datasets."""
    found: dict[str, Any] = {}
    for name, value in vars(thing).items():
        if isinstance(value, Order):
            found[name.strip("_")] = f"{type(value).__name__}({_shown(_settings_of(value))})"
        elif isinstance(value, _SIMPLE) and "seed" not in name and name.strip("_") not in ("length", "cardinality"):
            found[name.strip("_")] = value
    return found


def _shown(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in facts.items())


def _seeds(thing: Any) -> list[int]:
    """The seeds of the shuffles of one step."""
    found = []
    for value in vars(thing).values():
        if isinstance(value, EpochSeeds):
            found.append(value.seed)
        elif isinstance(value, Order):
            found += _seeds(value)
    return found


def _order_of_files(stage: Stage) -> list[int]:
    """The seeds of the order in which a step's files are divided among the workers."""
    found = []
    for names in stage.parents if stage.reads_files else ():
        while isinstance(names, ShuffleStage | PrefetchStage):
            (names,) = names.parents  # divided among the workers before they are shuffled
        found += [seed for step in _all(names) for seed in _seeds(step)]
    return found


def _difference(ours: list[str], theirs: list[str], job: Job, worker: int) -> str:
    first, second = job.task(0), job.task(worker)
    for mine, other in zip(ours, theirs, strict=False):
        if mine != other:
            return f"{first} has {mine}, {second} has {other}"
    return f"{first} has {len(ours)} steps, {second} has {len(theirs)}"
