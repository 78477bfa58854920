"""TPUClusterResolver: the TPU of this machine, which JAX finds by itself."""

from collections.abc import Mapping
from typing import final

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._cluster._resolver import ClusterResolver
from stratagem._cluster._spec import ClusterSpec
from stratagem._cluster._visible_tpus import visible_tpus

_HOSTS = "TPU_WORKER_HOSTNAMES"  # on a machine of a pod: all of them


@exported("distribute.cluster_resolver.TPUClusterResolver")
@final
class TPUClusterResolver(ClusterResolver):
    """The TPU of this machine, as `tf.distribute.cluster_resolver.TPUClusterResolver`.

    All arguments are accepted; a name or an address changes nothing, for JAX uses the TPU of its own machine.

    Raises:
        ValueError: there is no TPU. (Programs of TensorFlow's fall back on another strategy then.)
        UnimplementedError: the machine is one of several of a TPU pod.
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: object = None,
        project: object = None,
        job_name: str = "worker",
        coordinator_name: object = None,
        coordinator_address: object = None,
        credentials: object = "default",
        service: object = None,
        discovery_url: object = None,
    ) -> None:
        self._chips = visible_tpus(self._environ)
        if not self._chips:
            raise ValueError(
                "Please provide a TPU Name to connect to: no TPU was found. JAX uses a TPU of its machine, with the package "
                f"libtpu and a device file, and not one that is reached by a name or address (here {tpu!r})."
            )
        hosts = [host for host in self._environ.get(_HOSTS, "").split(",") if host.strip()]
        if len(hosts) > 1:
            raise UnimplementedError(
                f"This machine is one of {len(hosts)} of a TPU pod ({_HOSTS}), which TPUStrategy does not use together. Set "
                f"{_HOSTS} to this machine alone, or start one task a machine with MultiWorkerMirroredStrategy."
            )
        self.task_type, self.task_id = job_name, 0

    @classmethod
    def connect(cls, tpu: str | None = None, zone: object = None, project: object = None) -> "TPUClusterResolver":
        """Returns a resolver. JAX connects to the TPU when it is first used."""
        return cls(tpu, zone, project)

    def cluster_spec(self) -> ClusterSpec:
        """Returns an empty cluster: there is one machine."""
        return ClusterSpec({})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns "local", as TensorFlow for the TPU of its machine."""
        return "local"

    def get_master(self) -> str:
        """Returns `master()`."""
        return self.master()

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Returns {"TPU": the number of chips}."""
        return {"TPU": self._chips}
