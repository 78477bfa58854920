"""TensorFlow's step on as many virtual CPUs as the argument says; runs with a Python that has TensorFlow 2.15 and NumPy."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from parts import distributed
from parts.child import answer

if __name__ == "__main__":
    count = int(sys.argv[1])
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
    answer(distributed.timer(tf, tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])))
