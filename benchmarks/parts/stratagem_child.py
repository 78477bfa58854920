"""Stratagem's step in a process of its own, on as many virtual CPU devices as the argument says."""

import sys

from parts import distributed
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    count = int(sys.argv[1])
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
    answer(distributed.timer(tf, tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])))
