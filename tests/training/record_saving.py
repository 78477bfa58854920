"""Record what programs that save and load return in TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python -m tests.training.record_saving
"""

import json
import os
import tempfile
from pathlib import Path

from tests.training.saving_programs import PROGRAMS

RECORD = (Path(__file__).parent / "recorded" / "saving.json").resolve()


def main() -> None:
    import tensorflow as tf

    recorded = {}
    for name, program in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            recorded[name] = program(tf)
            os.chdir("/")
    RECORD.write_text(json.dumps(recorded, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
