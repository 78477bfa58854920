"""Records what TensorFlow 2.15.1 gives for the expressions: run it with a Python that has TensorFlow, in the project's folder.

python -m tests.ops.tensor_messages.record_tensorflow
"""

import json
import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.ops.tensor_messages.expressions import answers


def main() -> None:
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in answers(tf).items())
    Path(__file__).with_name("tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
