"""Records what TensorFlow's tables hold in the programs of `table_programs`. Run with an interpreter that has TensorFlow 2.15:

PYTHONPATH=. python -m tests.ops.record_table_programs
"""

import json
from pathlib import Path

import tensorflow as tf

from tests.ops.table_programs import PROGRAMS, results

ANSWERS = Path(__file__).with_name("tensorflow_tables.json")


def main() -> None:
    """Writes the answers, one program a line."""
    device = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [device, device])
    lines = []
    for name, program in PROGRAMS.items():
        found = [
            each if isinstance(each, str) else [str(each.dtype), each.shape, each.ravel().tolist()]
            for each in results(program, tf)
        ]
        lines.append(f"{json.dumps(name)}: {json.dumps(found)}")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
