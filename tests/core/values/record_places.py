"""Records what TensorFlow 2.15.1 gives at every place of a program: run it where TensorFlow is, the tests need none.

/tmp/tensorflow/bin/python -m tests.core.values.record_places     (from the root; see tests/parity for the environment)
"""

import json
from pathlib import Path

import tensorflow as tf  # the real one

from tests.core.values.places import cases

ANSWERS = Path(__file__).with_name("places.json")


def main() -> None:
    """Two logical CPUs, one strategy in the process."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    rows = [json.dumps([name, program()]) for name, program in cases(tf, strategy)]
    ANSWERS.write_text("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
