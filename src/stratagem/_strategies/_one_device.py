"""OneDeviceStrategy: one replica on one device; the smallest strategy."""

from typing import final

import jax

from stratagem._base.exports import exported
from stratagem._core.mesh import ReplicaMesh
from stratagem._devices import find_device
from stratagem._strategies._abstract import AbstractStrategy


@exported("distribute.OneDeviceStrategy")
@final
class OneDeviceStrategy(AbstractStrategy):
    """A strategy with all variables and all computation on one device.

    device: a name such as "/gpu:0" or "CPU:1". Raises DeviceError if it does not exist.
    """

    def __init__(self, device: str | jax.Device) -> None:
        self._mesh = ReplicaMesh((find_device(device),))

    @property
    def mesh(self) -> ReplicaMesh:
        return self._mesh
