"""Records what TensorFlow draws in the programs of `drawing_programs`. Run with an interpreter that has TensorFlow 2.15:

PYTHONPATH=. python -m tests.ops.record_drawing_programs
"""

import json
from pathlib import Path

import tensorflow as tf

from tests.ops.drawing_programs import PROGRAMS, results

ANSWERS = Path(__file__).with_name("tensorflow_drawings.json")


def main() -> None:
    """Writes the answers, one program a line."""
    device = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [device, device])
    lines = []
    for name, program in PROGRAMS.items():
        drawn = [[str(part.dtype), part.astype(_written(str(part.dtype))).tolist()] for part in results(program, tf)]
        lines.append(f"{json.dumps(name)}: {json.dumps(drawn)}")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _written(dtype: str) -> str:
    return "float64" if "float" in dtype else dtype


if __name__ == "__main__":
    main()
