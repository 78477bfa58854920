"""StrategyExtended: the facts about a strategy that TensorFlow has in `strategy.extended`."""

from dataclasses import dataclass
from typing import Any, final

from stratagem._core.mesh import ReplicaMesh
from stratagem._strategies._devices import device_name

_HERE = "/job:localhost/replica:0/task:0"


@final
@dataclass(frozen=True)
class StrategyExtended:
    """Facts about a strategy, read-only, as `tf.distribute.StrategyExtended`.

    worker_devices: names of the devices that run this process' replicas, in the order of the replicas.
    parameter_devices: the devices of its variables, which are the same.
    should_checkpoint, should_save_summary: whether this process is the chief, whose files count. (Every worker still has to
        call `save`.)
    experimental_require_static_shapes: whether shapes must be known: never.
    """

    worker_devices: tuple[str, ...]
    should_checkpoint: bool
    experimental_require_static_shapes: bool = False

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return self.worker_devices

    @property
    def should_save_summary(self) -> bool:
        return self.should_checkpoint


def extended_of(mesh: ReplicaMesh, resolver: Any) -> StrategyExtended:
    """Returns the facts about a strategy with this mesh. resolver: the cluster's, or None."""
    task = getattr(resolver, "task_type", None)
    place = _HERE if task is None else f"/job:{task}/replica:0/task:{resolver.task_id}"
    names = tuple(device_name(device).replace(_HERE, place) for device in mesh.local_devices)
    return StrategyExtended(names, mesh.job.worker == 0)
