"""Records what programs with the names of Keras 2 return in TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python tests/keras/record_keras2.py
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import keras2_programs
import tensorflow as tf


def main() -> None:
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], two)
    recorded = {name: program(tf) for name, program in keras2_programs.PROGRAMS.items()}
    recorded["symbolic"] = {name: program(tf) for name, program in keras2_programs.SYMBOLIC.items()}
    recorded["synchronized"] = {
        str(masked): keras2_programs.normalize_over_all_rows(tf, masked=masked) for masked in (False, True)
    }
    text = json.dumps(recorded, separators=(",", ":"), sort_keys=True).replace("]],", "]],\n")
    (Path(__file__).parent / "recorded" / "keras2.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
