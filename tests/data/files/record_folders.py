"""Records what TensorFlow 2.15.1 gives for the calls of `folders.py`: run it with a Python that has TensorFlow.

python -m tests.data.files.record_folders
"""

import json
import os
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.data.files.folders import answers, write_files


def main() -> None:
    """Write the answers."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(tf, Path(folder))
        found = answers(tf, Path(folder))
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    (Path(__file__).parent / "folders_tensorflow.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
