"""A step whose cost grows with its size: python -m parts.scaling_child replicas|depth|width|variables SIZE."""

import resource
import sys
from typing import Any

from parts.child import answer
from parts.replica_steps import timed_steps

import stratagem as tf

ROWS, UNITS = 256, 256


class Scales(tf.keras.layers.Layer):
    """Adds so many variables to its inputs, one after another."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.added = [self.add_weight(shape=(64,), initializer="zeros", name=f"added{i}") for i in range(count)]

    def call(self, x: Any) -> Any:
        """The sum."""
        for added in self.added:
            x = x + added
        return x


def model(what: str, size: int) -> Any:
    """The network of that size; with replicas it does not grow."""
    layers = tf.keras.layers
    if what == "variables":
        return tf.keras.Sequential([Scales(size)])
    depth, units = {"depth": (size, UNITS), "width": (4, size)}.get(what, (4, UNITS))
    return tf.keras.Sequential([layers.Dense(units, activation="relu") for _ in range(depth)])


if __name__ == "__main__":
    what, size = sys.argv[1], int(sys.argv[2])
    replicas = size if what == "replicas" else 1
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    inputs = {"variables": 64, "width": size}.get(what, UNITS)
    with strategy.scope():
        network, optimizer = model(what, size), tf.keras.optimizers.Adam()
        network.build((None, inputs))

    timer = timed_steps(strategy, network, optimizer, (ROWS, inputs))
    # Linux counts in KiB.
    answer(timer, lambda: {"MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024})
