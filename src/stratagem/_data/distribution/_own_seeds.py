"""The seeds of a dataset that is one worker's own: unseeded shuffles differ by worker, unless the dataset is sharded."""

import copy
from collections.abc import Iterator
from typing import Any

from stratagem._data.grouping._interleave import DatasetFunction
from stratagem._data.stages._order import Order, SlicedOrder
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import Stage
from stratagem._data.stages._steps import ShardHint, SliceStage


def with_own_seeds(stage: Stage, worker: int) -> Stage:
    """Returns the plan of worker `worker` of a job, of a dataset that is not divided among the workers.

    Shuffles without a seed have the seed that the job agreed on. It serves shards, which have to be of one order to be
    disjoint: a plan with a `shard` in it is returned as it is. Without one, all workers would take the same examples in the
    same steps; so their seeds become the worker's. Numbers that functions of `map` draw stay those of an element's place. The
    given plan is not changed: it may also be sharded elsewhere.
    """
    return stage if _is_sharded(stage) else _owned_plan(stage, worker, {})


def _is_sharded(stage: Stage) -> bool:
    """Returns whether a step of the plan takes every n-th element, as `Dataset.shard` does."""
    if isinstance(stage, ShardHint) or (isinstance(stage, SliceStage) and stage.cut[1] > 1):
        return True
    orders = (order for value in vars(stage).values() if isinstance(value, Order) for order in _orders(value))
    if any(isinstance(order, SlicedOrder) and order.cut[1] > 1 for order in orders):
        return True
    return any(map(_is_sharded, stage.parents))


def _orders(order: Order | None) -> Iterator[Order]:
    while order is not None:
        yield order
        order = order.parent


def _owned_plan(stage: Stage, worker: int, made: dict[int, Stage]) -> Stage:
    """made: the plans of steps that were met before, by their ids: a step that has several followers stays one step."""
    if id(stage) not in made:
        parents = [_owned_plan(parent, worker, made) for parent in stage.parents]
        changed = any(new is not old for new, old in zip(parents, stage.parents, strict=True))
        made[id(stage)] = _owned(stage.with_parents(*parents) if changed else stage, worker)
    return made[id(stage)]


def _owned(thing: Any, worker: int) -> Any:
    """Returns a part of a plan with the worker's seeds: a copy if it has seeds that change, else the part itself."""
    new: dict[str, Any] = {}
    for name, value in vars(thing).items():
        if isinstance(value, EpochSeeds | DatasetFunction):
            new[name] = value.of_worker(worker)
        elif isinstance(value, Order):
            new[name] = _owned(value, worker)
    if all(value is vars(thing)[name] for name, value in new.items()):
        return thing
    own = copy.copy(thing)
    vars(own).update(new)
    return own
