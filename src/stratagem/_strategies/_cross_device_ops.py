"""CrossDeviceOps: TensorFlow's names for ways to all-reduce; XLA chooses the way here."""

import abc
from typing import Any, final


class CrossDeviceOps(abc.ABC):
    """Base of the ways to reduce over devices. Every one of them means: let XLA choose."""

    @property
    @abc.abstractmethod
    def asked_for(self) -> str:
        """What the program asked for, for logs."""


@final
class NcclAllReduce(CrossDeviceOps):
    """NVIDIA's collectives, which XLA uses on NVIDIA devices anyway. Raises ValueError for a negative `num_packs`."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"NCCL all-reduce requires num_packs >= 0, got {num_packs}.")
        self._num_packs = num_packs

    @property
    def asked_for(self) -> str:
        return f"NCCL in {self._num_packs} packs"


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


@final
class ReductionToOneDevice(CrossDeviceOps):
    """Copy to one device, reduce there, copy back."""

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: Any = None) -> None:
        self._device = reduce_to_device

    @property
    def asked_for(self) -> str:
        return f"reduction on {self._device or 'the first device'}"
