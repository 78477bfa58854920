# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._core.values import FixedShardsPartitioner as FixedShardsPartitioner
from stratagem._core.values import MaxSizePartitioner as MaxSizePartitioner
from stratagem._core.values import MinSizePartitioner as MinSizePartitioner
from stratagem._core.values import Partitioner as Partitioner

__all__ = [
    "FixedShardsPartitioner", "MaxSizePartitioner", "MinSizePartitioner", "Partitioner"
]  # fmt: skip
