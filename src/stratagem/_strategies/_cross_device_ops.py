"""CrossDeviceOps: TensorFlow's names of all-reduce implementations; XLA chooses its own."""

import abc
from typing import final

from stratagem._base.exports import exported


@exported("distribute.CrossDeviceOps")
class CrossDeviceOps(abc.ABC):
    """Base of TensorFlow's classes for reductions over devices. All have the same effect: XLA chooses."""

    @property
    @abc.abstractmethod
    def asked_for(self) -> str:
        """The implementation that the program asked for, for logs."""


@exported("distribute.NcclAllReduce")
@final
class NcclAllReduce(CrossDeviceOps):
    """NVIDIA's collectives, which XLA uses on NVIDIA devices in any case. Raises ValueError for a negative `num_packs`."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"NCCL all-reduce requires num_packs >= 0, got {num_packs}.")
        self._num_packs = num_packs

    @property
    def asked_for(self) -> str:
        return f"NCCL in {self._num_packs} packs"


@exported("distribute.HierarchicalCopyAllReduce")
@final
class HierarchicalCopyAllReduce(CrossDeviceOps):
    """A reduction along a tree of devices. Raises ValueError for a negative `num_packs`."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"HierarchicalCopy requires num_packs >= 0, got {num_packs}.")
        self._num_packs = num_packs

    @property
    def asked_for(self) -> str:
        return f"hierarchical copies in {self._num_packs} packs"


@exported("distribute.ReductionToOneDevice")
@final
class ReductionToOneDevice(CrossDeviceOps):
    """A copy of all values to one device, a reduction there, and a copy back."""

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: object = None) -> None:
        self._device = reduce_to_device

    @property
    def asked_for(self) -> str:
        return f"reduction on {self._device or 'the first device'}"
