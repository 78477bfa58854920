"""Determines the part of its sources' elements that a plan takes, which differs between the shards of two workers."""

import hashlib
import json

from stratagem._data.stages._order import Order, SlicedOrder
from stratagem._data.stages._stage import FileSource, OrderedRows, Stage
from stratagem._data.stages._steps import SliceStage


def part_of(stage: Stage) -> list[list[int]]:
    """The start, step and count of every `take`, `skip` and `shard` of a plan, the last one first."""
    here: list[list[int]] = []
    if isinstance(stage, SliceStage):
        here = [list(stage.cut)]
    elif isinstance(stage, OrderedRows):
        order: Order | None = stage.order
        while order is not None:
            here += [list(order.cut)] if isinstance(order, SlicedOrder) else []
            order = order.parent
    return here + [cut for parent in stage.parents for cut in part_of(parent)]


def digest(stage: Stage) -> str:
    """A short name for that part and for the files that the plan reads."""
    return hashlib.sha256(json.dumps([part_of(stage), _files(stage)]).encode()).hexdigest()[:12]


def _files(stage: Stage) -> list[str]:
    own = list(stage.files) if isinstance(stage, FileSource) else []
    return own + [name for parent in stage.parents for name in _files(parent)]
