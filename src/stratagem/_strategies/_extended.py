"""`strategy.extended`: what TensorFlow tells there about a strategy."""

from dataclasses import dataclass
from typing import Any, final

from stratagem._core.mesh import ReplicaMesh
from stratagem._strategies._devices import device_name

_HERE = "/job:localhost/replica:0/task:0"


@final
@dataclass(frozen=True)
class StrategyExtended:
    """Read-only, as `tf.distribute.StrategyExtended`.

    worker_devices: names of the devices that run this process' replicas, in the order of the replicas.
    parameter_devices: those on which its variables lie, which are the same.
    should_checkpoint, should_save_summary: whether this process is the one whose files count, which is the chief. (Every
        worker still has to call `save`.)
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
    """Of a strategy with this mesh. resolver: says which task of a cluster this is, or None."""
    task = getattr(resolver, "task_type", None)
    place = _HERE if task is None else f"/job:{task}/replica:0/task:{resolver.task_id}"
    names = tuple(device_name(device).replace(_HERE, place) for device in mesh.local_devices)
    return StrategyExtended(names, mesh.job.worker == 0)
