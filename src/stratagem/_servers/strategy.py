"""ParameterServerStrategy: variables on servers, steps on workers that do not wait for each other."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, final

import jax
import keras

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._base.job import Phase, SingleWorkerJob, observer
from stratagem._base.types import DTypeLike
from stratagem._cluster import ClusterResolver
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import Placement, placement_of, shards_by
from stratagem._servers.remote import ServerPlacement, Servers, connect
from stratagem._strategies import AbstractStrategy, OneDeviceStrategy

_JOBS = ("chief", "worker", "ps", "evaluator")


@exported("distribute.ParameterServerStrategy", "distribute.experimental.ParameterServerStrategy")
@final
class ParameterServerStrategy(AbstractStrategy):
    """Asynchronous training with parameter servers, as `tf.distribute.ParameterServerStrategy`.

    cluster_resolver: names the tasks of the cluster, which needs at least one `ps` and one `worker`.
    variable_partitioner: `partitioner(shape=, dtype=)` returns the number of shards of a variable along each dimension
        (`tf.distribute.experimental.partitioners`); None leaves every variable in one piece.

    Raises ClusterError (a ValueError) for a cluster that cannot work, UnavailableError if a server does not answer in time.
    """

    remote_variables: ClassVar[bool] = True

    def __init__(
        self, cluster_resolver: ClusterResolver, variable_partitioner: Callable[..., list[int]] | None = None
    ) -> None:
        spec = _checked(cluster_resolver)
        self._resolver, self._partitioner = cluster_resolver, variable_partitioner
        self._mesh = ReplicaMesh((jax.local_devices()[0],), SingleWorkerJob(_timed))
        self._servers, self.tasks = connect(cluster_resolver, spec)
        # The only ClusterCoordinator of this strategy; None until one is made.
        self.coordinator: Any = None

    @property
    def mesh(self) -> ReplicaMesh:
        return self._mesh

    @property
    def cluster_resolver(self) -> ClusterResolver:
        """The resolver that this strategy was made with."""
        return self._resolver

    @property
    def workers(self) -> int:
        """The number of workers."""
        return len(self.tasks)

    @property
    def servers(self) -> Servers:
        """The servers that hold this strategy's variables."""
        return self._servers

    def placement(self, slot_of: keras.Variable = None) -> Placement:
        """Returns a new variable's placement: servers take turns, and an optimizer slot goes to the server of its variable.

        Raises ValueError on a worker, except in the first trace of a function: each worker would create a variable of
        its own.
        """
        context = current()
        if context.worker is not None and context.recorder is None:
            raise ValueError(
                "A worker tried to create a variable, in a dataset function or in a scheduled function. Create variables "
                "within `with strategy.scope():`, outside of both."
            )
        near = None if slot_of is None else placement_of(slot_of)
        home = near.home if isinstance(near, ServerPlacement) else self._servers.next_home()
        placement = ServerPlacement(self._mesh, self, self._servers, home)
        self._servers.track(placement)
        return placement

    def shards_of(self, shape: Sequence[int], dtype: DTypeLike) -> int:
        """Returns the number of shards of a variable. Raises ValueError if the partitioner's answer cannot be used."""
        return shards_by(self._partitioner, tuple(shape), dtype)

    def __reduce__(self) -> Any:
        """Pickles as the OneDeviceStrategy of the worker that unpickles it: dataset functions take the strategy along."""
        return _worker_strategy, ()


def _timed(phase: Phase) -> contextlib.AbstractContextManager[None]:
    """Adds the time of a phase to the breakdown of the worker whose step this is."""
    worker = current().worker
    return observer().phase(phase) if worker is None else worker.clock.phase(phase)


def _worker_strategy() -> AbstractStrategy:
    return OneDeviceStrategy(jax.local_devices()[0])


def _checked(resolver: Any) -> Any:
    """Returns the resolver's cluster spec. Raises ClusterError, in the same cases as TF, if it cannot run parameter servers."""
    spec = resolver.cluster_spec()
    jobs = spec.as_dict() if spec else {}
    if not jobs:
        raise ClusterError(
            "ParameterServerStrategy needs a cluster: the resolver's ClusterSpec is empty. Is TF_CONFIG set?"
        )
    unknown = [job for job in jobs if job not in _JOBS]
    if unknown:
        raise ClusterError(f"ParameterServerStrategy: unknown job(s) {unknown} in the cluster; jobs are {list(_JOBS)}.")
    if len(jobs.get("chief", ())) > 1:
        raise ClusterError(
            f"ParameterServerStrategy: there must be at most one 'chief' task, found {len(jobs['chief'])}."
        )
    if not jobs.get("ps"):
        raise ClusterError("ParameterServerStrategy: there must be at least one ps task in the cluster.")
    if not jobs.get("worker"):
        raise ClusterError("ParameterServerStrategy: there must be at least one worker task in the cluster.")
    if resolver.task_type is not None and resolver.task_type not in _JOBS:
        raise ClusterError(
            f"ParameterServerStrategy: unknown task type {resolver.task_type!r}; types are {list(_JOBS)}."
        )
    return spec
