"""The planner, which chooses stages: in-memory rows only change their order; other elements need a stage per step."""

import functools
from typing import Any

import numpy as np

from stratagem._data.elements._nest import leaves, map_leaves
from stratagem._data.functions._mapped import MemoColumns
from stratagem._data.stages._batch import BatchStage
from stratagem._data.stages._buffers import CacheStage, ShuffleStage
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN, batched
from stratagem._data.stages._columns import Columns, RangeColumns, ZippedColumns
from stratagem._data.stages._order import (
    CountingOrder,
    Order,
    RememberedOrder,
    RepeatedOrder,
    ShuffledOrder,
    SlicedOrder,
    StraightOrder,
)
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import BatchedRowsStage, OrderedRowsStage, Stage
from stratagem._data.stages._steps import EnumerateStage, PrefetchStage, RepeatStage, SliceStage, ZipStage


def rows(columns: Columns) -> Stage:
    """The rows of columns, in their original order."""
    return OrderedRowsStage(columns, StraightOrder(columns.length))


def shuffle(stage: Stage, buffer_size: int, seeds: EpochSeeds) -> Stage:
    """Elements in a random order."""
    if isinstance(stage, OrderedRowsStage):
        return OrderedRowsStage(stage.columns, ShuffledOrder(stage.order, buffer_size, seeds))
    return ShuffleStage(stage, buffer_size, seeds)


def repeat(stage: Stage, count: int) -> Stage:
    """Repeats all elements."""
    if isinstance(stage, OrderedRowsStage):
        return OrderedRowsStage(stage.columns, RepeatedOrder(stage.order, count))
    return RepeatStage(stage, count)


def cut(stage: Stage, *, start: int = 0, step: int = 1, count: int = -1) -> Stage:
    """Every `step`-th element from `start` on, at most `count`."""
    if isinstance(stage, OrderedRowsStage):
        return OrderedRowsStage(stage.columns, SlicedOrder(stage.order, start=start, step=step, count=count))
    return SliceStage(stage, start=start, step=step, count=count)


def batch(stage: Stage, batch_size: int, *, drop_remainder: bool) -> Stage:
    """Stacks consecutive elements."""
    if isinstance(stage, OrderedRowsStage):
        count = batched(stage.cardinality, batch_size, drop_remainder=drop_remainder)
        columns = stage.columns.sized(batch_size)
        return BatchedRowsStage(columns, stage.order, batch_size, count, drop_remainder=drop_remainder)
    return BatchStage(stage, batch_size, drop_remainder=drop_remainder)


def cache(stage: Stage) -> Stage:
    """Caches elements. For rows that are in memory already, only the order is stored."""
    if not isinstance(stage, OrderedRowsStage) or stage.order.length == UNKNOWN:
        return CacheStage(stage)
    order: Order = stage.order
    if stage.cheap:
        return stage if order.length == INFINITE else OrderedRowsStage(stage.columns, RememberedOrder(order))
    # Computed rows are cached by row, unless most rows would be allocated in vain or are not the same the next time.
    if stage.pure and stage.columns.repeatable and stage.columns.length <= 4 * order.length:
        return OrderedRowsStage(MemoColumns(stage.columns), RememberedOrder(order))
    return CacheStage(stage)


def prefetch(stage: Stage, depth: int, *, grows: bool = False) -> Stage:
    """Makes elements ahead, unless they are cheap: a thread would cost more than making them. grows: `ReadAheadIterator`'s."""
    return stage if depth == 0 or stage.cheap else PrefetchStage(stage, depth, grows=grows)


def zipped(nest: Any) -> Stage:
    """Elements side by side. Rows in their original order remain rows."""
    stages = leaves(nest)
    if all(isinstance(stage, OrderedRowsStage) and isinstance(stage.order, StraightOrder) for stage in stages):
        return rows(ZippedColumns(map_leaves(lambda stage: stage.columns, nest)))
    return ZipStage(nest)


def enumerated(stage: Stage, start: int) -> Stage:
    """Pairs of an increasing number and an element."""
    if isinstance(stage, OrderedRowsStage) and isinstance(stage.order, StraightOrder):
        numbers = RangeColumns(start, 1, stage.columns.length, np.dtype(np.int64))
        return zipped((rows(numbers), stage))
    return EnumerateStage(stage, start)


def expanded(tensors: Any) -> Any:
    """Converts arrays to columns of a single row."""
    return map_leaves(functools.partial(np.expand_dims, axis=0), tensors)


def counted(start: Any, step: Any, dtype: np.dtype[Any]) -> Stage:
    """Numbers at constant distances, without end."""
    return OrderedRowsStage(RangeColumns(start, step, 1 << 62, dtype), CountingOrder())
