"""A strategy that cuts the variables created under it, on one device or more."""

from typing import Any

from stratagem._core.values import FixedShardsPartitioner, shards_by
from stratagem._strategies import AbstractStrategy, MirroredStrategy


class Sharding(AbstractStrategy):
    """`partitioner` says into how many shards a variable is cut; a number stands for so many."""

    def __init__(self, partitioner: Any, replicas: int = 1) -> None:
        self._partitioner = FixedShardsPartitioner(partitioner) if isinstance(partitioner, int) else partitioner
        self._of = MirroredStrategy([f"CPU:{i}" for i in range(replicas)])

    @property
    def mesh(self) -> Any:
        return self._of.mesh

    def shards_of(self, shape: tuple[int, ...], dtype: str) -> int:
        return shards_by(self._partitioner, shape, dtype)
