"""Records what TensorFlow 2.15.1 gives for the programs: run it with a Python that has TensorFlow, in the project's folder.

python -m tests.ops.arrays.record_tensorflow
"""

import json
import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.ops.arrays.programs import EAGER, MODES, PROGRAMS, answer


def main() -> None:
    found = {f"{name}, {mode}": answer(tf, p, mode) for name, p in PROGRAMS.items() for mode in MODES}
    found |= {f"{name}, eager": answer(tf, p, "eager") for name, p in EAGER.items()}
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in found.items()
    )
    Path(__file__).with_name("tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
