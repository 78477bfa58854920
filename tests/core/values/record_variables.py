"""Writes what TensorFlow 2.15.1's variables answer: `python -m tests.core.values.record_variables`."""

import json
import pathlib
import sys

import tensorflow as tf

from tests.core.values import variables


def main() -> None:
    """Write `recorded/variables.json`."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    found = {
        **{mode: variables.answers(tf, mode) for mode in variables.MODES},
        "facts": variables.facts(tf),
        "failures": variables.failures(tf),
        "eager steps": variables.eager_steps(tf),
    }
    parts = (
        f' "{part}": {{\n' + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in rows.items()) + "\n }"
        if isinstance(rows, dict)
        else f' "{part}": {json.dumps(rows)}'
        for part, rows in found.items()
    )
    pathlib.Path(__file__).with_name("recorded").joinpath("variables.json").write_text(
        "{\n" + ",\n".join(parts) + "\n}\n"
    )
    sys.stdout.write(f"{len(found)} parts\n")


if __name__ == "__main__":
    main()
