"""CentralStorageStrategy: several replicas on one machine, whose variables are one."""

from collections.abc import Sequence
from typing import ClassVar, final

from stratagem._base.exports import exported
from stratagem._core.mesh import ReplicaMesh
from stratagem._devices import choose_devices, find_device, list_physical_devices
from stratagem._strategies._abstract import AbstractStrategy
from stratagem._strategies._other_workers import warn_of_other_workers


@exported("distribute.experimental.CentralStorageStrategy")
@final
class CentralStorageStrategy(AbstractStrategy):
    """Synchronous training on several devices of one machine with one set of variables, as TensorFlow's class of this name.

    compute_devices: the devices of the replicas, by default all GPUs, else the first CPU device. parameter_device: has to
    exist. Unlike in TensorFlow it does not hold the variables alone: each device has a copy, and they are always equal.
    Raises DeviceError for a device that does not exist or is named twice.
    """

    mirrored: ClassVar[bool] = True

    def __init__(self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None) -> None:
        if compute_devices is None:
            compute_devices = [f"GPU:{i}" for i, _ in enumerate(list_physical_devices("GPU"))] or ["CPU:0"]
        if parameter_device is not None:
            find_device(parameter_device)
        warn_of_other_workers("CentralStorageStrategy")
        self._mesh = ReplicaMesh(choose_devices(compute_devices))

    @property
    def mesh(self) -> ReplicaMesh:
        return self._mesh
