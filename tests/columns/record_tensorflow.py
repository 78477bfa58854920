"""Records what programs with feature columns return in TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python -m tests.columns.record_tensorflow
"""

import json
import tempfile
from pathlib import Path

import tensorflow as tf

from tests.columns import programs


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recorded = {
            "cases": {case: programs.result(tf, case, folder) for case in programs.CASES},
            "sequences": {case: programs.sequences(tf, case, folder) for case in programs.SEQUENCES},
            "errors": {case: programs.error(tf, case) for case in programs.ERRORS},
            "linear": programs.linear(tf, folder),
            "estimated": programs.estimated(tf, folder),
        }
    text = json.dumps(recorded, separators=(",", ":"), sort_keys=True).replace("},", "},\n")
    (Path(__file__).parent / "recorded" / "tensorflow.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
