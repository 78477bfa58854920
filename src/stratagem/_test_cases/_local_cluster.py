"""`tf.test.create_local_cluster`: the tasks of a cluster of parameter servers in this process."""

from collections.abc import Sequence

from stratagem._base.exports import exported
from stratagem._cluster import ClusterSpec, free_ports
from stratagem._servers.remote import Server


@exported("test.create_local_cluster")
def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: object = None,
    ps_config: object = None,
) -> tuple[Sequence[Server], Sequence[Server]]:
    """Starts the tasks of a cluster in this process, on free ports of the loopback address; returns (workers, servers).

    They run until the process ends. Their addresses are in `target`, behind "grpc://".
    """
    ports = free_ports(num_workers + num_ps)
    addresses = [f"localhost:{port}" for port in ports]
    cluster = ClusterSpec({"worker": addresses[:num_workers], "ps": addresses[num_workers:]})
    workers = [Server(cluster, "worker", i, protocol, worker_config) for i in range(num_workers)]
    servers = [Server(cluster, "ps", i, protocol, ps_config) for i in range(num_ps)]
    return workers, servers
