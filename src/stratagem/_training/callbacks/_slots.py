"""MetricSlots: the per-replica state of metrics. A sum alone would make the rest of a resumed epoch round differently."""

import functools
from typing import Any, final

import jax
import numpy as np

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import Variable, on_read, placement_of, storage
from stratagem._private import store, stored
from stratagem._training.callbacks._callback_state import host_variables


@final
class MetricSlots:
    """The values that every replica has in the variables of a model's metrics.

    A job with another number of replicas does not find these in the checkpoint, and continues from the sums.
    """

    def __init__(self, model: Any, mesh: ReplicaMesh) -> None:
        self._mesh, self._found = mesh, False
        self._metrics = [v for v in model.metrics_variables if on_read(v) and _by_replica(v)]
        shapes = [(mesh.num_replicas, *v.shape) for v in self._metrics]
        pairs = zip(shapes, self._metrics, strict=True)
        self.variables: list[Variable] = host_variables(np.zeros(shape, str(v.dtype)) for shape, v in pairs)

    @property
    def parts(self) -> dict[str, Any]:
        """The parts to be saved in a checkpoint."""
        return {f"of {self._mesh.num_replicas} replicas": {"found": self, "values": self.variables}}

    def get_state(self) -> Any:
        """Returns a state, which marks that the slots are in the checkpoint."""
        return {}

    def set_state(self, state: Any) -> None:
        """Called if the slots were in the checkpoint."""
        self._found = True

    def capture(self) -> None:
        """Copies the slots into the variables, before a backup; all workers take part."""
        if not self._metrics:
            return
        with storage:
            gathered = _gather(self._mesh)([stored(v) for v in self._metrics])
        with self._mesh.job.waiting():
            values = [np.asarray(self._mesh.first(array)) for array in gathered]
        for variable, value in zip(self.variables, values, strict=True):
            variable.assign(value)

    def apply(self) -> None:
        """Copies the restored variables into the slots."""
        if not self._found:
            return
        self._found = False
        for metric, variable in zip(self._metrics, self.variables, strict=True):
            value = np.asarray(variable.value)
            with storage:
                store(metric, self._mesh.stack([value[i] for i in self._mesh.local_ids], own=True))


def _by_replica(metric: Any) -> bool:
    placement = placement_of(metric)
    return placement is not None and not placement.remote  # a server has one value, which the model's checkpoint holds


@functools.cache
def _gather(mesh: ReplicaMesh) -> Any:
    return jax.jit(lambda arrays: arrays, out_shardings=mesh.everywhere)
