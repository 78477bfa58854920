"""A step of Adam, with its slots in shards or without: python -m parts.optimizer_state_child REPLICAS 0|1."""

import sys
from typing import Any

import jax
from parts.child import answer
from parts.replica_steps import timed_steps

import stratagem as tf

ROWS, UNITS, LAYERS = 64, 1024, 4


def bytes_of(arrays: Any, device: jax.Device) -> int:
    """The bytes of arrays on one device."""
    return sum(shard.data.nbytes for array in arrays for shard in array.addressable_shards if shard.device == device)


if __name__ == "__main__":
    replicas, sharded = int(sys.argv[1]), bool(int(sys.argv[2]))
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    names = [f"CPU:{i}" for i in range(replicas)]
    strategy = tf.distribute.MirroredStrategy(names, shard_optimizer_state=sharded)
    with strategy.scope():
        dense = [tf.keras.layers.Dense(UNITS, activation="relu") for _ in range(LAYERS)]
        network, optimizer = tf.keras.Sequential(dense), tf.keras.optimizers.Adam(global_clipnorm=1.0)
        network.build((None, UNITS))

    def facts() -> dict[str, float]:
        """MiB a replica: of weights and slots, and, while the step runs, of all at most and of what it makes for itself."""
        first, mib = jax.devices()[0], 2**20
        weights, slots = ([v._value for v in vs] for vs in (network.variables, optimizer.variables))
        largest = max(
            (made.get_compiled_memory_stats() for made in first.client.live_executables()),
            key=lambda stats: stats.argument_size_in_bytes,
        )
        more = largest.temp_size_in_bytes + largest.output_size_in_bytes - largest.alias_size_in_bytes
        return {
            "weights": bytes_of(weights, first) / mib,
            "slots": bytes_of(slots, first) / mib,
            "peak": (largest.argument_size_in_bytes + more) / mib,
            "temporary": largest.temp_size_in_bytes / mib,
        }

    answer(timed_steps(strategy, network, optimizer, (ROWS, UNITS)), facts)
