"""TPUStrategy: one replica on each TPU core of this machine; the calls by which programs of TensorFlow's prepare it."""

import logging
from dataclasses import dataclass
from typing import ClassVar, final

import jax

from stratagem._base.errors import NotFoundError
from stratagem._base.exports import exported
from stratagem._cluster import ClusterResolver, TPUClusterResolver
from stratagem._core.mesh import ReplicaMesh
from stratagem._devices import device_name
from stratagem._strategies._abstract import AbstractStrategy

logger = logging.getLogger("stratagem")


def tpu_devices() -> tuple[jax.Device, ...]:
    """Returns the TPU cores of this process. Raises NotFoundError if JAX has none."""
    try:
        return tuple(jax.local_devices(backend="tpu"))
    except RuntimeError as error:
        raise NotFoundError(f"JAX finds no TPU in this process: {error}") from error


@exported("distribute.TPUStrategy", "distribute.experimental.TPUStrategy")
@final
class TPUStrategy(AbstractStrategy):
    """Synchronous training on the TPU cores of one machine: the step of MirroredStrategy over them.

    It is `tf.distribute.TPUStrategy`, and the classes of that name in `experimental` and `compat.v1`.

    tpu_cluster_resolver: one that was made before, else `TPUClusterResolver()`, which raises ValueError without a TPU. The
    other arguments are accepted: XLA assigns the devices.
    """

    mirrored: ClassVar[bool] = True

    def __init__(
        self,
        tpu_cluster_resolver: ClusterResolver | None = None,
        experimental_device_assignment: object = None,
        experimental_spmd_xla_partitioning: object = False,
        *,
        device_assignment: object = None,
        steps_per_run: object = None,
    ) -> None:
        self._resolver = tpu_cluster_resolver or TPUClusterResolver()
        self._mesh = ReplicaMesh(tpu_devices())

    @property
    def mesh(self) -> ReplicaMesh:
        return self._mesh

    @property
    def cluster_resolver(self) -> ClusterResolver | None:
        """The resolver that the strategy was made with."""
        return self._resolver


@exported("tpu.experimental.Topology")
@final
@dataclass(frozen=True)
class Topology:
    """The TPU cores of this machine, as `tf.tpu.experimental.Topology`: one task with all of them.

    num_tasks, num_tpus_per_task: how many. devices: the names of the cores.
    """

    devices: tuple[str, ...]

    @property
    def num_tasks(self) -> int:
        """The number of machines: 1."""
        return 1

    @property
    def num_tpus_per_task(self) -> int:
        """The number of cores."""
        return len(self.devices)


@exported("tpu.experimental.initialize_tpu_system")
def initialize_tpu_system(cluster_resolver: ClusterResolver | None = None) -> Topology:
    """Returns the topology of this machine's TPU, which JAX starts now, if it has not yet.

    Raises ValueError without a resolver and without a TPU, NotFoundError if JAX finds none.
    """
    if cluster_resolver is None:
        TPUClusterResolver()
    return Topology(tuple(map(device_name, tpu_devices())))


@exported("tpu.experimental.shutdown_tpu_system")
def shutdown_tpu_system(cluster_resolver: object = None) -> None:
    """Does nothing but say so in the log: JAX keeps its TPU until the process ends."""
    logger.info("tf.tpu.experimental.shutdown_tpu_system: JAX keeps its TPU until the process ends.")


@exported("config.experimental_connect_to_cluster")
def experimental_connect_to_cluster(
    cluster_spec_or_resolver: ClusterResolver,
    job_name: object = "localhost",
    task_index: object = 0,
    protocol: object = None,
    make_master_device_default: object = True,
    cluster_device_filters: object = None,
) -> None:
    """Does nothing: strategies connect to their cluster by themselves, and JAX to the TPU of its machine."""
    logger.debug(
        "tf.config.experimental_connect_to_cluster(%r): strategies connect by themselves.", cluster_spec_or_resolver
    )
