"""`tf.compat.v1.train.replica_device_setter`: where the variables of a graph are, in programs of several processes."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._cluster import ClusterSpec


@exported(v1=["train.replica_device_setter"])
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: object = "/job:worker",
    merge_devices: object = True,
    cluster: ClusterSpec | Mapping[str, Sequence[str]] | None = None,
    ps_ops: object = None,
    ps_strategy: object = None,
) -> Any:
    """Returns None, which `tf.device` takes: without parameter servers a graph is on the devices of this process.

    ps_tasks: how many servers there are; `cluster`, if it is given, says that, too.

    Raises UnimplementedError if there are servers, TypeError if `cluster` is no cluster.
    """
    if cluster is not None:
        job = ps_device.strip("/").removeprefix("job:")
        ps_tasks = len(_jobs(cluster).get(job, ()))
    if not ps_tasks:
        return None
    raise UnimplementedError(
        f"replica_device_setter: {ps_tasks} parameter servers would keep the variables of a graph that sessions of several "
        "processes run. Use tf.distribute.ParameterServerStrategy with a tf.distribute.coordinator.ClusterCoordinator, or an "
        "Estimator with RunConfig(train_distribute=tf.distribute.ParameterServerStrategy(...))."
    )


def _jobs(cluster: Any) -> Mapping[str, Any]:
    if not isinstance(cluster, ClusterSpec | Mapping):
        raise TypeError(
            f"replica_device_setter: cluster must be a ClusterSpec or a dictionary of jobs, got {cluster!r:.100}."
        )
    return ClusterSpec(cluster).as_dict() if isinstance(cluster, Mapping) else cluster.as_dict()
