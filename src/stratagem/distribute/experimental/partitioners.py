"""tf.distribute.experimental.partitioners."""

from typing import Any

from stratagem.ops import not_provided
from stratagem.values import FixedShardsPartitioner as FixedShardsPartitioner
from stratagem.values import MaxSizePartitioner as MaxSizePartitioner
from stratagem.values import MinSizePartitioner as MinSizePartitioner
from stratagem.values import Partitioner as Partitioner


def __getattr__(name: str) -> Any:
    raise not_provided("distribute.experimental.partitioners", name)
