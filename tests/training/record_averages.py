"""Records TensorFlow 2.15.1's moving averages: `python -m tests.training.record_averages`, in an environment that has it."""

import json
from pathlib import Path

import tensorflow as tf

from tests.training.average_programs import PROGRAMS


def main() -> None:
    """Writes recorded/averages.json."""
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    found = {name: program(tf) for name, program in PROGRAMS.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in found.items())
    Path(__file__).with_name("recorded").joinpath("averages.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
