"""Records what TensorFlow's kernel makes of `projection_cases`. Run with an interpreter that has TensorFlow 2.15:

PYTHONPATH=. python -m tests.ops.record_projections
"""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.ops.projection_cases import cases

ANSWERS = Path(__file__).with_name("tensorflow_projections.json")


def main() -> None:
    """Writes the answers, one case a line."""
    lines = []
    for name, arguments in cases():
        result = tf.raw_ops.ImageProjectiveTransformV3(**arguments).numpy().astype("float64")
        lines.append(f"{json.dumps(name)}: {json.dumps(np.round(result, 6).tolist())}")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
