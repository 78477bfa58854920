"""tf.distribute.experimental.partitioners."""

from typing import Any as _Any

from stratagem._core.values import FixedShardsPartitioner as FixedShardsPartitioner
from stratagem._core.values import MaxSizePartitioner as MaxSizePartitioner
from stratagem._core.values import MinSizePartitioner as MinSizePartitioner
from stratagem._core.values import Partitioner as Partitioner
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("distribute.experimental.partitioners", name)
