"""MirroredStrategy: one replica on each of several devices of this process."""

from collections.abc import Sequence
from typing import ClassVar, final

from stratagem._base.exports import exported
from stratagem._core.mesh import ReplicaMesh
from stratagem._devices import choose_devices
from stratagem._strategies._abstract import AbstractStrategy
from stratagem._strategies._cross_device_ops import CrossDeviceOps
from stratagem._strategies._other_workers import warn_of_other_workers


@exported("distribute.MirroredStrategy")
@final
class MirroredStrategy(AbstractStrategy):
    """Synchronous training on the devices of one machine: every device has a copy of the variables, kept equal.

    devices: names such as ["GPU:0", "GPU:1"]; by default all accelerators, else all CPU devices, of which there are
    several only if the program has configured them. cross_device_ops: accepted for compatibility; XLA chooses the
    all-reduce. Raises DeviceError for a device that does not exist or is named twice.

    shard_optimizer_state, which TensorFlow lacks: of each slot of an optimizer (Adam's two, momentum) every replica keeps one
    of n equal shards, and updates that share of the weights (ZeRO, stage 1). Weights become what they become without, and
    checkpoints are the same.
    """

    mirrored: ClassVar[bool] = True

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
        *,
        shard_optimizer_state: bool = False,
    ) -> None:
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise ValueError(f"cross_device_ops must be a tf.distribute.CrossDeviceOps, got {cross_device_ops!r}.")
        warn_of_other_workers("MirroredStrategy")
        self.shards_optimizer_state = shard_optimizer_state
        self._mesh = ReplicaMesh(choose_devices(devices))

    @property
    def mesh(self) -> ReplicaMesh:
        return self._mesh
