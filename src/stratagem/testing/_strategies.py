"""The table of strategies that contract tests run over."""

from collections.abc import Callable

from stratagem import _hooks
from stratagem._cluster import ClusterSpec, SimpleClusterResolver, free_ports
from stratagem._servers.remote import Server
from stratagem._servers.strategy import ParameterServerStrategy
from stratagem._strategies import (
    AbstractStrategy,
    CentralStorageStrategy,
    MirroredStrategy,
    OneDeviceStrategy,
    get_strategy,
)

_hooks.install()


def _mirrored(replicas: int) -> AbstractStrategy:
    return MirroredStrategy([f"CPU:{i}" for i in range(replicas)])


def _parameter_servers(servers: int, workers: int) -> AbstractStrategy:
    ports = free_ports(servers + workers)
    spec = ClusterSpec(
        {"ps": [f"localhost:{p}" for p in ports[:servers]], "worker": [f"localhost:{p}" for p in ports[servers:]]}
    )
    for index in range(servers):
        Server(spec, "ps", index)
    return ParameterServerStrategy(SimpleClusterResolver(spec))


# Name → a function that makes the strategy. They need eight virtual CPU devices, configured before JAX starts
# (`jax.config.update("jax_num_cpu_devices", 8)`, or `tf.config.set_logical_device_configuration`).
# Contract tests are parametrised over it, so a strategy that is added here has to pass all of them.
STRATEGIES: dict[str, Callable[[], AbstractStrategy]] = {
    "default": get_strategy,
    "one device": lambda: OneDeviceStrategy("CPU:1"),  # not the device that JAX would choose
    "mirrored 1": lambda: _mirrored(1),
    "mirrored 2": lambda: _mirrored(2),
    "mirrored 4": lambda: _mirrored(4),
    "mirrored 8": lambda: _mirrored(8),
    "slots in shards": lambda: MirroredStrategy(["CPU:0", "CPU:1"], shard_optimizer_state=True),
    "central storage": lambda: CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0"),
    "parameter servers": lambda: _parameter_servers(servers=2, workers=1),
}
